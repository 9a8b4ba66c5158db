// Where each key of each form sets its bits. Forms are read in the same way for all kinds, so that one kind is enough:
// on both engines, whose single keys differ, and under a secret, whose hash differs. test/keys/strings.test.ts has bits of
// other kinds.

import { describe, expect, it } from 'vitest';
import { type Key, type Keys, lines } from '../../src/index.ts';
import { bodyOf } from '../format/saved.ts';
import { awkwardKeys, awkwardStrings, randomBytes } from '../shared/awkward.ts';
import { columnOf } from '../shared/columns.ts';
import { range } from '../shared/integers.ts';
import { kindOn } from '../shared/kinds.ts';
import { bytesOf } from '../shared/oracle.ts';
import { text } from '../shared/stream-tools.ts';

const forms = [kindOn('classic', 'wasm'), kindOn('classic', 'js'), kindOn('classic', 'wasm', true)];

describe.each(forms)('every form of keys sets the specified bits: $name', ({ sized, bytesOf: expectedOf }) => {
  const shape = { cells: 50_021, hashes: 4, seed: 9 };
  /** Expects the bits of `keys` of a filter that gets them one by one, and in each of these forms. */
  const expectForms = (keys: readonly Key[], ...given: Keys[]): void => {
    const expected = expectedOf(keys, shape);
    const single = sized(shape);
    for (const key of keys) single.add(key);
    expect(bodyOf(single)).toEqual(expected);
    for (const form of given) expect(bodyOf(sized(shape).addMany(form))).toEqual(expected);
  };

  it('strings and byte arrays of every length from 0 to 200, and keys of all types', () => {
    const lengths = range(0, 201);
    const all: Key[] = [
      // A chunk full of the longest characters.
      ...range(0, 1500).map((i) => `${'漢'.repeat(30)}${i}`),
      ...lengths.map((length) => 'x'.repeat(length)),
      ...lengths.map((length) => '漢'.repeat(length)),
      ...lengths.map((length) => randomBytes(length, length)),
      ...awkwardKeys(1000, 42),
    ];
    expectForms(all, all, all.values(), new Set(all));
  });

  it('keys longer than the scratch', () => {
    // 98,304 bytes and 32,768 units fit. Characters of every width straddle the cuts.
    const texts = [32_767, 32_768, 32_769, 65_500, 100_001].flatMap((length) =>
      ['x', '😀', 'x😀', '\ud83d', '漢x'].map((unit) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)),
    );
    const blobs = [98_303, 98_304, 98_305, 98_320, 200_000].map((length) => randomBytes(length, length));
    const long: Key[] = ['before', ...texts, 'between', ...blobs, 7];
    expectForms(long, long, columnOf(long.map(bytesOf)));
  });

  it('lines and columns of the same text', () => {
    const strings = awkwardStrings(1000, 7).map((each) => each.replaceAll(/[\r\n]/g, ''));
    // The last line is not empty: without a final newline, an empty one would not count.
    const all = [...strings, 'last'];
    const texts = ['\n', '\r\n'].flatMap((end) => [all.join(end), all.join(end) + end]);
    expectForms(all, ...texts.map((each) => lines(text(each))), columnOf(all.map(bytesOf)));
  });

  it('lines longer than the scratch, with and without carriage returns', () => {
    const all = ['a', ...[98_303, 98_304, 98_305, 250_000].map((length) => 'y'.repeat(length)), '', 'b'];
    expectForms(all, lines(text(all.join('\r\n'))), lines(text(all.join('\n')), { crlf: false }));
    const returned = all.map((each) => `${each}\r`);
    expectForms(returned, lines(text(returned.map((each) => `${each}\n`).join('')), { crlf: false }));
  });

  it('integer arrays', () => {
    const numbers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), ...range(0, 5000).map((i) => i * 77_777)];
    const arrays = [Int32Array, Uint32Array].map((Type) => Type.from(numbers).subarray(1));
    const wide = [BigInt64Array, BigUint64Array].map((Type) => Type.from(numbers.map(BigInt)).subarray(1));
    for (const array of [...arrays, ...wide]) expectForms([...array], array);
  });
});
