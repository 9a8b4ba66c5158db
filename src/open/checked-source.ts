import { requireBytes } from '../keys/key.ts';
import { isObject, mustBe, requireInteger } from '../util/checks/validate.ts';
import { type RangeSource, SourceError } from './source.ts';

/** Positions of bits in larger files are not exact. */
const MAX_SIZE: number = 2 ** 50;
const GAP = 4096;
const IN_FLIGHT = 8;

/** A source whose properties have been checked. */
export interface CheckedSource extends RangeSource {
  readonly gap: number;
  readonly inFlight: number;
  /** Runs a task that reads, once fewer of them are under way than the source allows. */
  inTurn<T>(task: () => Promise<T>): Promise<T>;
  close(): void | Promise<void>;
}

/** Runs no more than `most` tasks at a time. */
function turns(most: number): CheckedSource['inTurn'] {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (busy === most) await new Promise<void>((start) => waiting.push(start));
    else busy++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  };
}

/** Closes a source once it is there. It is the error before that counts. */
export async function closeAfterError(source: RangeSource | Promise<RangeSource>): Promise<void> {
  try {
    await (await source).close?.();
  } catch {}
}

export function closedError(): TypeError {
  return new TypeError('the filter was used after close()');
}

/** @throws TypeError unless the value has the methods of a source; RangeError if a number is out of range */
export function requireSource(value: unknown): CheckedSource {
  if (!isObject(value) || !('read' in value) || typeof value.read !== 'function') {
    throw new TypeError(mustBe('source', 'a source, such as fileSource(path) or urlSource(url)', value));
  }
  const source = value as RangeSource;
  const { gap = GAP, inFlight: most = IN_FLIGHT } = source;
  const inFlight = requireInteger('source.inFlight', most, 1, MAX_SIZE);
  let isClosed = false;
  return {
    size: requireInteger('source.size', source.size, 0, MAX_SIZE),
    gap: requireInteger('source.gap', gap, 0, MAX_SIZE),
    inFlight,
    inTurn: turns(inFlight),
    async read(offset, length, signal) {
      if (signal?.aborted) throw signal.reason;
      if (isClosed) throw closedError();
      // A plain view: the method `slice` of a Buffer makes no copy.
      const bytes = requireBytes('what source.read gives', await source.read(offset, length, signal));
      if (bytes.length === length) return bytes;
      throw new SourceError('BYTES', `the source gave ${bytes.length} bytes from ${offset} on, not ${length}`);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      return source.close?.();
    },
  };
}
