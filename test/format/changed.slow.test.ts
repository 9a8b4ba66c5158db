import { describe, expect, it } from 'vitest';
import { integersFrom } from '../shared/integers.ts';
import { type AnyFilter, kinds } from '../shared/kinds.ts';
import { layoutOf } from './saved.ts';

/** Options that give bodies of 2 to 4 MiB: three parts or more. */
const optionsOf: Readonly<Record<string, object>> = {
  counting: { capacity: 500_000 },
  cuckoo: { capacity: 2_500_000 },
  // Many bits per key, so that few keys open several sub-filters. The last one is not full.
  scalable: { capacity: 8000, errorRate: 1e-70 },
  rotating: { capacity: 1_000_000, generations: 3 },
  stable: { capacity: 250_000 },
  fuse: { fingerprintBits: 32 },
  'sharded-fuse': { fingerprintBits: 32 },
  'fuse-map': { fingerprintBits: 29 },
  tombstone: { fingerprintBits: 32 },
};
const KEYS = 40_000;

type Change = 'add' | 'grow' | 'remove' | 'rotate' | 'clear' | 'dispose';
const changes: readonly Change[] = ['add', 'grow', 'remove', 'rotate', 'clear', 'dispose'];

function change(filter: AnyFilter, what: Change): void {
  const verbs = filter as AnyFilter & { remove?(key: number): boolean; rotate?(): void };
  if (what === 'add') filter.add(KEYS + 1);
  else if (what === 'grow') filter.addMany(integersFrom(2 * KEYS, KEYS));
  else if (what === 'remove') verbs.remove?.(0);
  else if (what === 'rotate') verbs.rotate?.();
  else filter[what]();
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

// An exact set is saved from a sorted copy, so nothing changes it.
const subjects = kinds.filter(({ isExact }) => !isExact);
describe.each(subjects)('a filter that is saved in chunks: $kind', ({ Filter, Twin, kind, isStatic }) => {
  const keys = integersFrom(0, isStatic ? 500_000 : KEYS);
  const made = Filter.from(keys, optionsOf[kind] ?? { capacity: 2_000_000 });
  const file = made.toBytes();

  const own = isStatic ? ['dispose' as const] : changes;
  it.each(own)('throws for the first chunk that is not as it was: %s', (what) => {
    const [head, ...parts] = [...made.toChunks()] as [Uint8Array, ...Uint8Array[]];
    expect(parts.length).toBeGreaterThanOrEqual(3);
    expect(Buffer.compare(Twin.fromChunks([head, ...parts]).toBytes(), file)).toBe(0);
    using changed = made.clone();
    change(changed, what);
    const now = what === 'dispose' ? undefined : changed.toBytes();
    for (const before of parts.keys()) {
      using filter = made.clone();
      const chunks = filter.toChunks();
      expect(nextOf(chunks)).toEqual(head);
      let at = head.length;
      for (const [i, part] of parts.entries()) {
        if (i === before) change(filter, what);
        const chunk = nextOf(chunks);
        const body = now?.subarray(layoutOf(now)[0] + at - head.length).subarray(0, part.length) ?? part;
        const isSame = Buffer.compare(body, part) === 0;
        if (i >= before && (now === undefined || !isSame)) {
          expect(chunk).toBe(now === undefined ? DISPOSED : CHANGED);
          break;
        }
        expect(Buffer.compare(chunk as Uint8Array, part)).toBe(0);
        at += part.length;
      }
    }
  });
});
