// Files of spatial filters. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter as Filter } from '../../src/entries/spatial.ts';
import { randomFrom } from '../shared/random.ts';
import { expectFileRefused } from './refusal.ts';
import { forge, keysOf } from './saved.ts';

const BODY_AT = 128;

/** A copy of a file of a spatial filter with a change and a matching checksum. */
function forgeSpatial(file: Uint8Array, change: (view: DataView) => void): Uint8Array {
  return forge(file, change, BODY_AT);
}

describe('a saved spatial filter', () => {
  it('is refused if a cell has a label above the highest one, wherever the cell is', () => {
    for (const [labels, cells] of [
      [2, 41],
      [10, 41],
      [200, 41],
      [300, 41],
      [10, 300_001],
    ] as const) {
      const file = new Filter({ cells, hashes: 3, labels }).toBytes();
      const bits = file[7] as number;
      for (const cell of [0, 1, 7, 15, 16, 40, cells - 1]) {
        const at = BODY_AT + Math.floor((cell * bits) / 8);
        const put = (label: number) =>
          forgeSpatial(file, (view) => {
            if (bits === 16) view.setUint16(at, label, true);
            else view.setUint8(at, label << ((cell * bits) % 8));
          });
        expect(Filter.fromBytes(put(labels)).fillRatio(labels)).toBe(1 / cells);
        const saying = new RegExp(`: a cell has a label above ${labels}$`);
        for (const label of [labels + 1, 2 ** bits - 1]) expectFileRefused(Filter, put(label), `${cell}`, saying);
      }
    }
  });

  it('may have any labels in its cells if all that fit are labels', () => {
    const random = randomFrom(3);
    for (const labels of [1, 3, 15, 255, 65_535]) {
      const file = new Filter({ cells: 100, hashes: 3, labels }).toBytes();
      const forged = forgeSpatial(file, (view) => {
        for (let at = BODY_AT; at < view.byteLength; at++) view.setUint8(at, random(256));
        const used = (100 * (file[7] as number)) % 8;
        if (used) view.setUint8(view.byteLength - 1, random(2 ** used));
      });
      const filter = Filter.fromBytes(forged);
      const found = filter.labelsOf(keysOf(1000));
      expect([...found]).toEqual(keysOf(1000).map((key) => filter.labelOf(key)));
      expect(found.every((label) => label <= labels)).toBe(true);
      expect(filter.toBytes()).toEqual(forged);
    }
  });

  it('is refused with bits set after its last cell', () => {
    const file = new Filter({ cells: 41, hashes: 3, labels: 2 }).toBytes();
    const last = file.length - 1;
    for (let bit = 2; bit < 8; bit++) {
      expectFileRefused(
        Filter,
        forgeSpatial(file, (view) => view.setUint8(last, 1 << bit)),
        `bit ${bit}`,
        /its padding bits are not zero/,
      );
    }
  });
});
