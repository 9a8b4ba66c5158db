import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rowOf, rows } from '../kinds.ts';
import { checksumOf, HEADER, readers, readSlowly } from './saved.ts';

interface Golden {
  readonly file: string;
  readonly kind: string;
  readonly keys: 'strings' | 'integers';
  readonly count: number;
  readonly cells: number;
  readonly hashes: number;
  readonly seed: number;
  readonly promise: { capacity: number; errorRate: number } | null;
}

const folder = new URL('../golden/', import.meta.url);
const all = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Golden[];
/** Kinds that have no row have suites of their own. */
const index = all.filter(({ kind }) => rows.some((row) => row.kind === kind));

function keysOf({ keys, count }: Golden): (string | number)[] {
  return Array.from({ length: count }, (_, i) => (keys === 'strings' ? `key ${i}` : i));
}

describe.each(index)('golden file $file', (golden) => {
  const { file, kind, cells, hashes, seed, promise } = golden;
  const saved = new Uint8Array(readFileSync(new URL(file, folder)));
  const keys = keysOf(golden);

  it('matches the specification', () => {
    const { cellBits, bytesOf } = rowOf(kind);
    expect(readSlowly(saved)).toEqual({
      magic: 'BLMY',
      version: 1,
      kind,
      hash: 1,
      cellBits,
      seed,
      hashes,
      cells,
      ...(promise ?? { capacity: 0, errorRate: 0 }),
      bodyOffset: HEADER,
      segments: 1,
      bodyLength: Math.ceil((cells * cellBits) / 8),
      checksum: checksumOf(saved),
    });
    expect(saved.subarray(HEADER)).toEqual(bytesOf(keys, { cells, hashes, seed }));
  });

  it.each(readers.filter((each) => each.kind === kind))(
    'can be read and written: $name',
    ({ Filter, load, cellName }) => {
      for (const filter of [load(saved), Filter.fromBytes(saved)]) {
        expect(filter).toBeInstanceOf(Filter);
        expect(filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
        expect(filter).toMatchObject({ kind, hashes, seed, byteLength: saved.length - HEADER, ...promise });
        expect(filter).toMatchObject({ [cellName]: cells, cellCount: cells, cellName });
        expect(filter.toBytes()).toEqual(saved);
      }
    },
  );
});

describe('golden files', () => {
  it('cover every kind, with and without a capacity', () => {
    const shapes = index.map(({ kind, promise }) => `${kind} ${promise === null ? 'size' : 'promise'}`);
    expect(new Set(shapes).size).toBe(2 * rows.length);
  });
});
