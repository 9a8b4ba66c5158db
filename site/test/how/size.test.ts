import { describe, expect, it } from 'vitest';
import * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { bestHashes, choices, countErrors, curve, describeSize, rateOf, sizeIn } from '../../src/how/models/size.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const size = { bits: 8192, hashes: 6, keys: 1000 };

describe('the step about sizes', () => {
  it('draws the formula of the library', () => {
    expect(rateOf(engine, size)).toBe(wasm.expectedErrorRate(1000, 8192, 6));
    expect(curve(engine, size, 'hashes', [1, 6])).toEqual([
      [1, wasm.expectedErrorRate(1000, 8192, 1)],
      [6, wasm.expectedErrorRate(1000, 8192, 6)],
    ]);
    expect(curve(engine, size, 'keys', [10])).toEqual([[10, wasm.expectedErrorRate(10, 8192, 6)]]);
  });

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

  it.each([
    [4, 'More hashes would err less: a lookup checks only 4 bits.'],
    [1, 'More hashes would err less: a lookup checks only 1 bit.'],
    [6, 'No other number of hashes errs less.'],
    [12, 'Fewer hashes would err less: 77 % of the bits are set, and half is best.'],
  ])('says what %i hashes do', (hashes, sentence) => {
    const chosen = { ...size, hashes };
    const said = describeSize(chosen, rateOf(engine, chosen), bestHashes(engine, chosen), countErrors(engine, chosen));
    expect(said).toMatch(/^1,000 keys in 8,192 bits, with \d+ hash(es)?: [\d.]+ % of absent keys look present by the /);
    expect(said.endsWith(sentence), said).toBe(true);
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

  it('offers rising values', () => {
    for (const values of Object.values(choices)) expect([...values].sort((a, b) => a - b)).toEqual(values);
  });
});
