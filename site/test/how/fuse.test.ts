import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import type * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { KEYS, LAST_FIRST, Peeling } from '../../src/how/models/peeling.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;

describe('the building of a fuse filter, step by step', () => {
  it('ends with the cells of the library, whatever the keys are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: LAST_FIRST }), async (first) => {
        const peeling = await Peeling.create(engine, first);
        expect(peeling.steps).toBe(2 * KEYS);
        const values = peeling.valuesAt(peeling.steps);
        expect(values.size).toBe(KEYS);
        expect(peeling.built).toEqual(peeling.built.map((_, cell) => values.get(cell) ?? 0));
        const names = Array.from({ length: KEYS }, (_, i) => nameAt(first * KEYS + i));
        expect(peeling.homes.map(({ name }) => name)).toEqual(names);
        expect(peeling.cellCount).toBe(BinaryFuseFilter.from(names, { fingerprintBits: 8 }).cellCount);
      }),
      { seed: 37, numRuns: 60 },
    );
  });

  it('takes out each key once, where it is alone, and writes the last one first', async () => {
    const peeling = await Peeling.create(engine, 3);
    for (let step = 1; step <= KEYS; step++) {
      const { phase, key, cell } = peeling.frameAt(step) as NonNullable<ReturnType<Peeling['frameAt']>>;
      expect(phase).toBe('peel');
      expect(peeling.homes[key]?.cells).toContain(cell);
      expect(peeling.countsAt(step - 1)[cell]).toBe(1);
      expect(peeling.countsAt(step)[cell]).toBe(0);
      expect(peeling.frameAt(2 * KEYS + 1 - step)).toEqual({ phase: 'write', key, cell });
    }
    expect(new Set(peeling.takenAt(KEYS)).size).toBe(KEYS);
    expect(peeling.countsAt(0).reduce((sum, count) => sum + count)).toBe(3 * KEYS);
    expect(peeling.countsAt(KEYS).every((count) => count === 0)).toBe(true);
    expect(peeling.frameAt(0)).toBeUndefined();
  });

  it('gives a key one cell in each of three adjacent segments', async () => {
    const { homes, segmentCells } = await Peeling.create(engine, 5);
    for (const { cells } of homes) {
      const [first = 0, ...others] = cells.map((cell) => Math.floor(cell / segmentCells));
      expect(others).toEqual([first + 1, first + 2]);
    }
  });

  it('answers as the library does, and says why', async () => {
    const peeling = await Peeling.create(engine, 0);
    const names = Array.from({ length: KEYS }, (_, i) => nameAt(i));
    const filter = BinaryFuseFilter.from(names, { fingerprintBits: 8 });
    for (const name of names) expect(peeling.lookUp(name).text).toMatch(/ is its fingerprint, .* It is\.$/);
    const wrong = filter.pick(absentNames)[0] as string;
    expect(peeling.lookUp(wrong).text).toMatch(/ = ([0-9a-f]{2}), which is its .* this is a false positive\.$/);
    for (const name of filter.omit(absentNames).slice(0, 50)) {
      const [, sum, fingerprint] = / = (..), which is not its fingerprint (..), /.exec(peeling.lookUp(name).text) ?? [];
      expect(fingerprint).toBeDefined();
      expect(sum).not.toBe(fingerprint);
    }
  });
});
