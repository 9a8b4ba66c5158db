import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyFilter, kinds } from '../shared/kinds.ts';
import { concat } from '../shared/stream-tools.ts';
import { MIB, viewOf } from './saved.ts';

/** Options that give bodies of 2 to 4 MiB: three pieces or more. */
const optionsOf: Readonly<Record<string, object>> = {
  counting: { capacity: 500_000 },
  cuckoo: { capacity: 2_500_000 },
  // Many bits per key, so that few keys open several slices. The last one is not full.
  scalable: { capacity: 8000, errorRate: 1e-70 },
  rotating: { capacity: 1_000_000, lanes: 3 },
  stable: { capacity: 250_000 },
  fuse: { fingerprintBits: 32 },
  'sharded-fuse': { fingerprintBits: 32 },
  tombstone: { fingerprintBits: 32 },
};
const KEYS = 40_000;

type Change = 'none' | 'add' | 'grow' | 'remove' | 'rotate' | 'clear' | 'dispose';
const changes: readonly Change[] = ['none', 'add', 'grow', 'remove', 'rotate', 'clear', 'dispose'];

function keysFrom(start: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => start + i);
}

function change(filter: AnyFilter, what: Change, isStatic: boolean): void {
  const verbs = filter as AnyFilter & { remove?(key: number): boolean; rotate?(): void };
  if (what === 'dispose') filter.dispose();
  if (isStatic) return;
  if (what === 'add') filter.add(KEYS + 1);
  if (what === 'grow') filter.addMany(keysFrom(2 * KEYS, KEYS));
  if (what === 'remove') verbs.remove?.(0);
  if (what === 'rotate') verbs.rotate?.();
  if (what === 'clear') filter.clear();
}

/** The segments of a file one after another, without its head. */
function bodyOf(file: Uint8Array): Uint8Array {
  return file.subarray(viewOf(file).getUint32(40, true));
}

/** What an iterator does next: the chunk, or the error's message. */
function nextOf(chunks: Iterator<Uint8Array>): Uint8Array | string | undefined {
  try {
    return chunks.next().value;
  } catch (error) {
    return (error as Error).message;
  }
}

const CHANGED = 'the filter changed while it was saved: save a clone()';
const DISPOSED = 'the filter was used after dispose()';

describe.each(kinds)('a filter that is saved in chunks: $kind', ({ Filter, Twin, kind, isStatic }) => {
  const capacity = { capacity: 2_000_000 };
  const given = keysFrom(0, isStatic ? 500_000 : KEYS);
  const made = Filter.from(given, optionsOf[kind] ?? capacity);

  it('throws for the first chunk that is not as it was at the head, and only then', () => {
    expect(made.byteLength).toBeGreaterThan(2 * MIB);
    const lengths = Array.from(made.toChunks(), ({ length }) => length).slice(1);
    expect(lengths.length).toBeGreaterThanOrEqual(3);
    const plans = fc.array(fc.constantFrom(...changes), { minLength: lengths.length, maxLength: lengths.length });
    const ends = new Set<string>();
    fc.assert(
      fc.property(plans, (plan) => {
        using filter = made.clone();
        const file = filter.toBytes();
        const body = bodyOf(file);
        const chunks = filter.toChunks();
        const parts = [nextOf(chunks) as Uint8Array];
        let now: Uint8Array | undefined = body;
        let sent = 0;
        for (const [i, length] of lengths.entries()) {
          const what = plan[i] ?? 'none';
          if (now !== undefined && what !== 'none') {
            change(filter, what, isStatic);
            now = what === 'dispose' ? undefined : bodyOf(filter.toBytes());
          }
          const wanted = body.subarray(sent, sent + length);
          const isWrong = now !== undefined && Buffer.compare(now.subarray(sent, sent + length), wanted) !== 0;
          const chunk = nextOf(chunks);
          if (now === undefined || isWrong) {
            expect(chunk).toBe(isWrong ? CHANGED : DISPOSED);
            ends.add(chunk as string);
            return;
          }
          parts.push(chunk as Uint8Array);
          sent += length;
        }
        expect(nextOf(chunks)).toBe(undefined);
        ends.add('whole');
        expect(Buffer.compare(concat(parts), file)).toBe(0);
        expect(Buffer.compare(Twin.fromChunks(parts).toBytes(), file)).toBe(0);
      }),
      { seed: 6, numRuns: 12, examples: [[lengths.map((_, i) => (i === 1 ? 'add' : 'none'))], [[]], [['dispose']]] },
    );
    expect(ends).toEqual(new Set(isStatic ? ['whole', DISPOSED] : ['whole', CHANGED, DISPOSED]));
  });

  it('is saved whole by its copy, whatever comes meanwhile', () => {
    using filter = made.clone();
    using copy = filter.clone();
    const file = filter.toBytes();
    const parts = [];
    for (const chunk of copy.toChunks()) {
      change(filter, 'clear', isStatic);
      change(filter, 'grow', isStatic);
      parts.push(chunk);
    }
    expect(Buffer.compare(concat(parts), file)).toBe(0);
  });
});
