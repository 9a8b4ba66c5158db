// What the page of the calculator says and draws: the comparison of kinds, code, and plots.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { integersFrom } from '../../test/shared/integers.ts';
import { ink } from '../../tools/colors.ts';
import { bitsDrawing, fillingDrawing, spread } from '../src/calculator/charts.ts';
import { commandLine, redis, typeScript } from '../src/calculator/code.ts';
import { adviceOn, sideBySide, tableRow } from '../src/calculator/comparison.ts';
import { bitsCurves, fillingCurve, overrun } from '../src/calculator/curves.ts';
import { builtInSet, exactRow, fingerprintSet } from '../src/calculator/exact.ts';
import { kinds, rowNamed } from '../src/calculator/kinds.ts';
import { pasteOf } from '../src/calculator/paste.ts';
import { type Answer, first, type Question, solve } from '../src/calculator/solve.ts';
import { placeOf, wordsOf } from '../src/calculator/words.ts';
import { inside } from '../src/plot/axes.ts';
import { type Drawing, paletteOf, toSvg } from '../src/plot/drawing.ts';

const ask = (question: Partial<Question>): Question => ({ ...first, ...question });
const answer = (question: Partial<Question> = {}): Answer => solve(ask(question));

describe('the same question to all kinds', () => {
  it.each([
    [{}, ['20 MB', '160', '–'], ['60 MB', '480', '–']],
    [{ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 8e9 } }, ['50,000,000'], ['16,666,666']],
    [{ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 8e10 } }, ['200,000,000'], ['16,777,216']],
    [{ given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 2e8 } }, ['none'], 'It takes about 60 MB.'],
    [{ values: { capacity: 2e7, errorRate: 0.01 } }, ['400 MB'], 'It holds at most 16,777,216 keys.'],
    [{ values: { capacity: Number.NaN, errorRate: 0.01 } }, /^A whole number/, /^A whole number/],
    [{ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 8 } }, /^Not even one/, /^Not even one/],
  ] as const)('has the sets beside them: %j', (question, ...wanted) => {
    for (const [i, set] of [fingerprintSet, builtInSet].entries()) {
      const { figures, text } = exactRow(ask(question as Partial<Question>), set);
      const expected = wanted[i] as readonly string[] | string | RegExp;
      if (Array.isArray(expected)) expect(figures.slice(0, expected.length)).toEqual(expected);
      else expect([figures, text]).toEqual([[], expect.stringMatching(expected as string | RegExp)]);
    }
  });

  it('has the memory of a set of fingerprints that the library takes', () => {
    for (const keys of [200_000, 1_000_000]) {
      const { byteLength } = FingerprintSet.from(integersFrom(0, keys), { capacity: 0 });
      expect(Math.abs(byteLength / keys / fingerprintSet.keyBytes - 1)).toBeLessThan(0.1);
    }
  });

  it('shows what was asked for: the size, the keys or the error rate', () => {
    const blocked = rowNamed('blocked');
    expect(tableRow(first, blocked).figures).toEqual(['1.32 MB', '10.5', '8']);
    const keys = tableRow(ask({ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 512e6 } }), blocked);
    expect(keys.figures[0]).toMatch(/^48,\d\d\d,\d\d\d$/);
    const rate = tableRow(ask({ given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 8e6 } }), rowNamed('fuse'));
    expect(rate.figures[0]).toBe('0.78 %');
  });

  it.each([
    ['classic', 0.01, /It is the smallest here to which keys can be added\.$/],
    ['classic', 0.0007, /A cuckoo filter is the smallest/],
    ['cuckoo', 0.0007, /It is the smallest/],
    ['fuse', 0.01, /takes no more\.$/],
    ['rotating', 0.01, /Its size stays\.$/],
  ])('says which kind is the smallest: %s at %d', (kind, errorRate, advice) => {
    expect(adviceOn(rowNamed(kind), ask({ values: { capacity: 1e6, errorRate } }))).toMatch(advice);
  });
});

it('the answer is said in words, and put side by side with others', () => {
  expect(wordsOf(answer())).toMatch(/^1.2 MB for 1,000,000 keys: .* With twice as many keys, 1 in 6 does\.$/);
  expect(placeOf(2 ** 20)).toMatch(/a single core/);
  const rows = ['classic', 'cuckoo', 'fuse', 'blocked'].map(rowNamed);
  const facts = sideBySide(ask({ values: { capacity: 1000, errorRate: 1e-8 } }), rows, 10);
  expect(Object.fromEntries(facts.map(({ name, values }) => [name, values]))).toMatchObject({
    memory: ['4.79 kB', '4.05 kB', '5.18 kB', '–'],
    'more, while it is built': ['–', '–', '20 kB', '–'],
    download: ['3.89 ms', '3.29 ms', '4.25 ms', '–'],
    'removes keys': ['no', 'yes', 'no', '–'],
    'why not': ['', '', '', 'Blocked filters go down to 0.001 %: take wide.'],
  });
});

describe('the answer to paste', () => {
  it('has the numbers in both units, the formulas and the line of code', () => {
    const question = ask({ values: { capacity: 10_000_000, errorRate: 0.001 } });
    expect(pasteOf(question, solve(question)).split('\n')).toEqual([
      'n = 10,000,000 keys',
      'p = 0.1 %: 1 in 1,000 absent keys looks present',
      'm = 143,775,876 bits = 18 MB = 17.1 MiB: 14.4 bits a key',
      'k = 10 hashes',
      'by m = −n · ln p / (ln 2)²; k = m/n · ln 2; p = (1 − e^(−k·n/m))^k',
      'const filter = new BloomFilter({ capacity: 10_000_000, errorRate: 0.001 });',
    ]);
  });

  it('has no formula that does not hold if the number of hashes was asked for', () => {
    const lines = (question: Question) => pasteOf(question, solve(question)).split('\n');
    expect(lines(ask({ hashes: 4 })).filter((line) => line.startsWith('by '))).toEqual(['by p = (1 − e^(−k·n/m))^k']);
    expect(lines(ask({ kind: 'counting', hashes: 4 })).filter((line) => line.startsWith('by '))).toEqual([]);
  });

  it.each(kinds.map(({ kind }) => kind))('ends with one line of code: %s', (kind) => {
    const question = ask({ kind });
    const lines = pasteOf(question, solve(question)).split('\n');
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toMatch(/^const filter = .*;$/);
  });
});

describe('the code of the calculator', () => {
  const byBits = ask({ given: ['capacity', 'bits'], values: { capacity: 1234, bits: 123_456 } });
  const asked = [ask({ values: { capacity: 1234, errorRate: 0.01 } }), byBits];
  const inEachKind = kinds.flatMap((row) =>
    asked.map((question) => [row.kind, question.given.join(' and '), row, { ...question, kind: row.kind }] as const),
  );

  it.each(inEachKind)('runs as it stands: %s of %s', async (kind, _, { entry, className }, question) => {
    const { shape } = solve(question);
    const code = typeScript(question, solve(question));
    const imports = [...code.matchAll(/^import \{ (\w+) \} from '(.+)';$/gm)].map(([, ...parts]) => parts);
    expect(imports.at(-1)).toEqual([className, entry]);
    const importOf = async ([name = '', from = '']: string[]) => ((await import(from)) as never)[name];
    const classes = await Promise.all(imports.map(importOf));
    const said = /^filter\.(?:has|labelOf)\(.*\)(?=;)/m.exec(code)?.[0];
    const body = `${code.replaceAll(/^import .*$/gm, '')}\nreturn [filter, String(${said})];`;
    const [filter, result] = new Function(...imports.map(([name]) => name as string), body)(...classes);
    expect(filter).toBeInstanceOf(classes.at(-1));
    if (kind !== 'fuse' && kind !== 'tombstone') expect(filter.cellCount).toBe(shape.cells);
    if (kind !== 'tombstone') expect(filter.cellBits).toBe(shape.cellBits);
    expect(result).toBe(/; \/\/ (\w+)[^\n]*$/.exec(code)?.[1]);
  });

  it('is for Redis what Redis holds', () => {
    const blocked = redis(answer({ kind: 'blocked' }));
    const options = "RedisBloomFilter.open(client, 'names', { capacity: 1_000_000, errorRate: 0.01 })";
    expect(blocked).toEqual({ code: expect.stringContaining(options), note: 'It takes 1.32 MB in Redis.' });
    expect(redis(answer()).note).toBe('In Redis the filter is a blocked one: 1.32 MB.');
    const forgetting = redis(answer({ kind: 'rotating' }));
    expect(forgetting.code).toContain('window: 24 * 60 * 60 * 1000 })');
    expect(forgetting.note).toMatch(/^It remembers the keys of the last day, .*: 3.05 MB in Redis\.$/);
    const shell = commandLine(ask({ kind: 'tombstone' }), answer({ kind: 'tombstone' }));
    expect(shell).toEqual({ note: 'The command line reads tombstone filters, and does not make them.' });
    expect(redis(answer({ kind: 'cuckoo' }))).toEqual({
      note: 'Redis holds blocked filters, and such that forget: keys are not removed from these.',
    });
    const rare = answer({ values: { capacity: 1e6, errorRate: 1e-6 } });
    expect(redis(rare)).toEqual({ note: 'In Redis, filters go down to 0.001 %.' });
  });
});

describe('the curves', () => {
  it('lie above the lower bound', () => {
    const curves = bitsCurves(1_000_000, 'stable');
    expect(curves.map(({ name }) => name)).toContain('stable');
    for (const { name, points } of curves.slice(0, -1)) {
      expect(points.length, name).toBeGreaterThan(10);
      for (const { x, y } of points) expect(y).toBeGreaterThan(0.99 * Math.log2(1 / x));
    }
  });

  it.each(kinds.map(({ kind }) => kind))('of a filling filter rise to the error rate at the capacity: %s', (kind) => {
    const solved = answer({ kind });
    const points = fillingCurve(solved);
    for (const [i, { y }] of points.entries()) expect(y).toBeGreaterThanOrEqual(points[i - 1]?.y ?? 0);
    const at = points.find(({ x }) => x >= solved.capacity);
    expect(at?.y).toBeGreaterThan(0.3 * solved.errorRate);
    expect(at?.y).toBeLessThanOrEqual(1.01 * solved.errorRate);
    expect(overrun(solved).length).toBeGreaterThan(0);
  });
});

describe('the drawings', () => {
  /** Filters that are so much too large that their error rate is 0 in floating point. */
  const far = ['classic', 'blocked'].map((kind) =>
    answer({ kind, given: ['capacity', 'bits'], values: { capacity: 1, bits: 1e10 } }),
  );
  const bitsOfAll = (chosen: Answer, width: number): Drawing => bitsDrawing(chosen.capacity, chosen, width, 352);
  const drawings = (width: number): Drawing[] => [
    bitsDrawing(1e7, undefined, width, 352),
    bitsOfAll(answer(), width),
    bitsOfAll(answer({ kind: 'stable', values: { capacity: 1000, errorRate: 1e-12 } }), width),
    fillingDrawing([answer(), answer({ kind: 'fuse' }), answer({ kind: 'scalable' })], width, 352),
    fillingDrawing([answer({ values: { capacity: 1, errorRate: 1e-60 } })], width, 352),
    fillingDrawing([answer(), answer({ kind: 'fuse' }), answer({ kind: 'cuckoo' })], width, 352),
    ...far.flatMap((empty) => [fillingDrawing([empty], width, 352), bitsOfAll(empty, width)]),
  ];

  it.each([280, 480, 720])('stay inside, and write no two names on one another: %d px', (width) => {
    for (const { marks, height } of drawings(width)) {
      const points = marks.flatMap((mark) => (mark.type === 'line' ? mark.points : [mark.at]));
      expect(points.filter(({ x, y }) => !(x >= 0 && x <= width && y >= 0 && y <= height))).toEqual([]);
      const texts = marks.filter((mark) => mark.type === 'text');
      const names = texts.filter(({ anchor, ink: color }) => anchor !== 'middle' && typeof color !== 'string');
      for (const [i, one] of names.entries()) {
        const others = names.slice(i + 1).filter(({ anchor }) => anchor === one.anchor);
        for (const other of others) expect(Math.abs(one.at.y - other.at.y)).toBeGreaterThanOrEqual(13.9);
        const long = 6.6 * one.text.length;
        expect(one.at.x + (one.anchor === 'start' ? long : 0)).toBeLessThanOrEqual(width + 1);
        expect(one.at.x - (one.anchor === 'end' ? long : 0)).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('have lines that end at the edges, wherever they come from', () => {
    const frame = { left: 0, right: 9, top: 10, bottom: 20 };
    const line = [0, 30, 0, 15].map((y, i) => ({ x: 3 * i, y }));
    const runs = inside(line, frame).map((run) => run.map(({ x, y }) => [x, y]));
    expect(runs).toEqual([
      [
        [1, 10],
        [2, 20],
      ],
      [
        [4, 20],
        [5, 10],
      ],
      [
        [8, 10],
        [9, 15],
      ],
    ]);
  });

  it('are SVG without styles that a policy would refuse', () => {
    for (const drawing of drawings(480)) {
      const svg = toSvg({ ...drawing, title: 'a < b & "c"' }, paletteOf('dark'));
      expect(svg).toContain('<title>a &lt; b &amp; &quot;c&quot;</title>');
      expect(svg).not.toMatch(/style|NaN|undefined|Infinity/);
    }
  });

  it('move names apart, within their limits and in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -50, max: 300, noNaN: true }), { maxLength: 14 }), (values) => {
        const places = spread(values, 14, 0, 200);
        const sorted = [...places].sort((one, other) => one - other);
        for (const [i, place] of sorted.slice(1).entries()) expect(place - (sorted[i] as number)).toBeGreaterThan(13.9);
        expect(Math.min(0, ...places)).toBe(0);
        expect(Math.max(200, ...places)).toBe(200);
        const order = (of: readonly number[]): number[] => [...of.keys()].sort((a, b) => Number(of[a]) - Number(of[b]));
        expect(order(places)).toEqual(order(values));
      }),
    );
  });
});

/** The relative luminance of a color, as WCAG 2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(['light', 'dark'] as const)(
  'the colors of charts can be read, and are different for each kind: %s',
  (theme) => {
    const { ground, text, muted } = ink;
    const colors = kinds.map(({ color }) => color);
    for (const tone of [text, muted, ...colors]) {
      const [brighter = 0, darker = 0] = [tone[theme], ground[theme]].map(luminance).sort((one, other) => other - one);
      expect((brighter + 0.05) / (darker + 0.05), tone[theme]).toBeGreaterThanOrEqual(4.5);
    }
    expect(new Set([muted, ...colors].map((tone) => tone[theme])).size).toBe(1 + kinds.length);
  },
);
