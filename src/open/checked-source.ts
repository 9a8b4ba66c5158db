import { mustBe, requireInteger } from '../checks/validate.ts';
import { requireBytes } from '../keys/key.ts';
import { type RangeSource, SourceError } from './source.ts';

/** Positions of bits in larger files are not exact. */
const MAX_SIZE: number = 2 ** 50;
const GAP = 4096;
const IN_FLIGHT = 8;

/** A source whose properties have been checked. */
export type CheckedSource = RangeSource & { readonly gap: number; readonly inFlight: number };

/** @throws TypeError unless the value has the methods of a source; RangeError if a number is out of range */
export function requireSource(value: unknown): CheckedSource {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || !('read' in value) || typeof value.read !== 'function') {
    throw new TypeError(mustBe('source', 'a source, such as urlSource(url)', value));
  }
  const source = value as RangeSource;
  const { gap = GAP, inFlight = IN_FLIGHT } = source;
  return {
    size: requireInteger('source.size', source.size, 0, MAX_SIZE),
    gap: requireInteger('source.gap', gap, 0, MAX_SIZE),
    inFlight: requireInteger('source.inFlight', inFlight, 1, MAX_SIZE),
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      // A plain view: the method `slice` of a Buffer makes no copy.
      const bytes = requireBytes('what source.read gives', await source.read(offset, length, signal));
      if (bytes.length === length) return bytes;
      throw new SourceError('BYTES', `the source gave ${bytes.length} bytes from ${offset} on, not ${length}`);
    },
    close: () => source.close?.(),
  };
}
