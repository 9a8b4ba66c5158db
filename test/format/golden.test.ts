import { describe, expect, it } from 'vitest';
import { kindOn, sizedKinds } from '../shared/kinds.ts';
import { goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { checksumOf, HEADER, readers, readSlowly } from './saved.ts';

/** The others have suites of their own. */
const index = goldenFiles.filter(({ kind }) => sizedKinds.some((each) => each.kind === kind));

describe.each(index)('golden file $file', (golden) => {
  const { kind, cells, hashes, seed, promise } = golden;
  const saved = readGolden(golden);
  const keys = goldenKeys(golden);

  it('matches the specification', () => {
    const { cellBits: usual, bytesOf } = kindOn(kind, 'wasm');
    const { bits: cellBits = usual } = golden;
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
    expect(saved.subarray(HEADER)).toEqual(bytesOf(keys, { cells, hashes, seed, cellBits }));
  });

  it.each(readers.filter((each) => each.kind === kind))(
    'can be read and written: $name',
    ({ Filter, load, cellName, isCombinable }) => {
      for (const filter of [load(saved), Filter.fromBytes(saved)]) {
        expect(filter).toBeInstanceOf(Filter);
        expect(filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
        expect(filter).toMatchObject({ kind, hashes, seed, byteLength: saved.length - HEADER, ...promise });
        expect(filter).toMatchObject({ ...(isCombinable && { [cellName]: cells }), cellCount: cells, cellName });
        expect(filter.toBytes()).toEqual(saved);
      }
    },
  );
});

describe('golden files', () => {
  it('cover every kind, with and without a capacity', () => {
    const shapes = index.map(({ kind, promise }) => `${kind} ${promise === null ? 'size' : 'promise'}`);
    expect(new Set(shapes).size).toBe(2 * sizedKinds.length);
  });
});
