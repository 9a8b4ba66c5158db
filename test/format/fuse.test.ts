// Files of binary fuse filters. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter as Filter } from '../../src/entries/fuse.ts';
import { randomFrom } from '../shared/random.ts';
import { expectFileRefused, type ReadClass } from './refusal.ts';
import { forge, keysOf, viewOf } from './saved.ts';

const BODY_AT = 128;

/** A copy of a file of a fuse filter with a change and a matching checksum. */
function forgeFuse(file: Uint8Array, change: (view: DataView) => void): Uint8Array {
  return forge(file, change, BODY_AT);
}

describe('a saved binary fuse filter', () => {
  // Its constructor is protected.
  const Read = Filter as object as ReadClass;
  const keys = keysOf(40);
  // 12 cells of 1 bit have 4 unused bits behind them.
  const small = Filter.from(keysOf(1), { fingerprintBits: 1 }).toBytes();
  const saved = Filter.from(keys, { fingerprintBits: 9, seed: 5 }).toBytes();

  it('is refused with bits set after its last cell', () => {
    for (const bit of [4, 5, 6, 7]) {
      const last = small.length - 1;
      const file = forgeFuse(small, (view) => view.setUint8(last, view.getUint8(last) | (1 << bit)));
      expectFileRefused(Read, file, `bit ${bit}`, /its padding bits are not zero/);
    }
  });

  it('is harmless with anything in its cells, and with the parameters of another filter of its size', () => {
    const random = randomFrom(3);
    const exponent = viewOf(saved).getUint32(64, true);
    const cells = Number(viewOf(saved).getBigUint64(16, true));
    for (let e = 2; cells % 2 ** e === 0 && cells / 2 ** e >= 3; e++) {
      for (const attempt of [0, 1, 63]) {
        const file = forgeFuse(saved, (view) => {
          view.setUint32(64, e, true);
          view.setUint32(68, cells / 2 ** e - 2, true);
          view.setUint32(72, attempt, true);
          for (let at = BODY_AT; at < view.byteLength; at++) view.setUint8(at, random(256));
          const used = (cells * 9) % 8;
          if (used) view.setUint8(view.byteLength - 1, view.getUint8(view.byteLength - 1) & ((1 << used) - 1));
        });
        const filter = Filter.fromBytes(file);
        const flags = filter.hasMany(keysOf(5000));
        expect(flags).toEqual(Uint8Array.from(keysOf(5000), (key) => Number(filter.has(key))));
        expect(filter.toBytes()).toEqual(file);
      }
    }
    expect(exponent).toBeGreaterThan(2);
  });
});
