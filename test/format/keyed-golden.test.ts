// Files that an earlier version wrote under a secret.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../tools/entries.ts';
import { type AnyClass, type KindOnEngine, keyedKinds, shapeOf, sizedKinds } from '../shared/kinds.ts';
import { SECRET, seedUnder } from '../shared/secret.ts';
import { checksumOf, HEADER, keysOf, viewOf } from './saved.ts';

interface Golden {
  readonly file: string;
  readonly kind: string;
  readonly count: number;
  readonly options: object;
}

const folder = new URL('../golden/keyed/', import.meta.url);
const { secret, files } = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as {
  readonly secret: string;
  readonly files: readonly Golden[];
};

it('golden files with a secret cover every kind, under the secret of the suites', () => {
  expect(files.map(({ kind }) => kind).sort()).toEqual(kinds.map(({ name }) => name).sort());
  expect(Buffer.from(SECRET).toString('hex')).toBe(secret);
});

describe.each(files)('golden file keyed/$file', ({ file, kind, count, options }) => {
  const saved = new Uint8Array(readFileSync(new URL(file, folder)));
  const keys = keysOf(count);
  const { Filter, Twin } = keyedKinds.find((each) => each.kind === kind) as KindOnEngine;
  const classes: readonly (readonly [string, AnyClass])[] = [
    ['wasm', Filter],
    ['js', Twin],
  ];

  it.each(classes)('can be read and written, and is made again: %s', (engine, Class) => {
    for (const filter of [Class.fromBytes(saved), Class.fromChunks([saved]), Class.from(keys, options)]) {
      expect(filter).toMatchObject({ kind, engine, seed: seedUnder(SECRET) });
      expect(filter.omit(keys)).toEqual([]);
      expect(keys.filter((key) => !filter.has(key))).toEqual([]);
      expect(filter.toBytes()).toEqual(saved);
    }
  });

  it('has the number and the check of the specification', () => {
    expect(saved[6]).toBe(2);
    expect(viewOf(saved).getUint32(8, true)).toBe(seedUnder(SECRET) - 2 ** 32);
  });

  const sized = sizedKinds.find((each) => each.kind === kind);
  if (sized) {
    it('has the checksum and the cells of the specification', () => {
      const shape = shapeOf(Filter.fromBytes(saved));
      expect(saved.subarray(HEADER)).toEqual(sized.bytesOf(keys, shape));
      expect(viewOf(saved).getBigUint64(56, true)).toBe(checksumOf(saved));
    });
  }
});
