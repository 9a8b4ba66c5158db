import { describe, expect, it } from 'vitest';
import * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { bestHashes, choices, countErrors, curve, rateOf, sizeIn } from '../../src/how/models/size.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const size = { bits: 8192, hashes: 6, keys: 1000 };

describe('the step about sizes', () => {
  it('counts the errors of a real filter, the same ones on both engines', () => {
    const filter = new wasm.BloomFilter({ bits: 8192, hashes: 6 });
    filter.addMany(Array.from({ length: 1000 }, (_, i) => nameAt(i)));
    const counted = countErrors(engine, size);
    expect(counted).toEqual({
      wrong: absentNames.filter((name) => filter.has(name)).length,
      asked: 10_000,
      fill: filter.fillRatio(),
    });
    expect(countErrors(js, size)).toEqual(counted);
    expect(counted.wrong / counted.asked / rateOf(engine, size)).toBeGreaterThan(0.8);
    expect(counted.wrong / counted.asked / rateOf(engine, size)).toBeLessThan(1.25);
  });

  it('knows the best number of hashes', () => {
    const best = bestHashes(engine, size);
    const rates = curve(engine, size, 'hashes', choices.hashes).map(([, rate]) => rate);
    expect(rates.indexOf(Math.min(...rates)) + 1).toBe(best);
  });

  it('reads any address', () => {
    expect(sizeIn(new URLSearchParams('bits=256&hashes=16&keys=10000'))).toEqual({
      bits: 256,
      hashes: 16,
      keys: 10_000,
    });
    const first = sizeIn(new URLSearchParams());
    expect(sizeIn(new URLSearchParams('bits=255&hashes=17&keys=1e9'))).toEqual(first);
    for (const name of ['bits', 'hashes', 'keys'] as const) expect(choices[name]).toContain(first[name]);
  });
});
