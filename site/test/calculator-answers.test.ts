import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accent, ink, kindColors } from '../../tools/colors.ts';
import { bitsDrawing, fillingDrawing, spread } from '../src/calculator/charts.ts';
import { redis, typeScript } from '../src/calculator/code.ts';
import { adviceOn, tableRow } from '../src/calculator/comparison.ts';
import { costRows, readCost } from '../src/calculator/cost.ts';
import { bitsCurves, fillingCurve, overrun } from '../src/calculator/curves.ts';
import { type Brush, type Drawing, paint, paletteOf, toSvg } from '../src/calculator/drawing.ts';
import measured from '../src/calculator/gzip.json' with { type: 'json' };
import type { KindRow } from '../src/calculator/kind-row.ts';
import { kinds, rowNamed } from '../src/calculator/kinds.ts';
import { type Answer, first, type Question, solve } from '../src/calculator/solve.ts';
import { gzipShare, transferOf } from '../src/calculator/transfer.ts';
import { gzipShareOf } from '../tools/gzip.ts';

const ask = (question: Partial<Question>): Question => ({ ...first, ...question });
const answer = (question: Partial<Question> = {}): Answer => solve(ask(question));
const eachKind = kinds.map((row): [string, KindRow] => [row.kind, row]);

describe('what false positives cost', () => {
  it.each([
    ['5 ms', { amount: 0.005, currency: undefined }],
    ['0,3 s', { amount: 0.3, currency: undefined }],
    ['$0.001', { amount: 0.001, currency: '$' }],
    ['5 \u03bcs', { amount: 5e-6, currency: undefined }],
    ['1.2.3 s', undefined],
    ['5', undefined],
    ['$5 ms', undefined],
    ['-1 s', undefined],
    ['1e30 s', undefined],
    ['', undefined],
  ])('reads a cost: %s', (text, cost) => {
    const read = readCost(text);
    expect(read?.currency).toBe(cost?.currency);
    if (cost) expect(read?.amount).toBeCloseTo(cost.amount, 12);
    else expect(read).toBeUndefined();
  });

  it('tells what a day costs, without the filter, with it and with a better one', () => {
    expect(costRows(answer(), 1e6, { amount: 0.005, currency: undefined })).toEqual([
      { name: 'without a filter', inVain: '1,000,000', cost: '1 h 23 min', memory: '–' },
      { name: 'with this filter', inVain: '10,000', cost: '50 s', memory: '1.2 MB' },
      { name: 'with a tenth of the errors', inVain: '1,000', cost: '5.0 s', memory: '1.8 MB' },
    ]);
    expect(costRows(answer(), 1e6, { amount: 0.001, currency: '$' }).map(({ cost }) => cost)).toEqual([
      '$1,000',
      '$10.00',
      '$1.00',
    ]);
  });

  it('offers no better filter where the kind has none', () => {
    const blocked = answer({ kind: 'blocked', values: { capacity: 1000, errorRate: 2e-5 } });
    expect(costRows(blocked, 10, { amount: 1, currency: undefined })).toHaveLength(2);
  });
});

describe('the gzipped size', () => {
  it.each(eachKind)('is near to what gzip makes of a filter: %s', (kind, row) => {
    const [keys, errorRate] = [20_000, 0.001];
    const share = gzipShareOf(kind, keys, errorRate) as number;
    const said = gzipShare(answer({ kind, values: { capacity: keys, errorRate } })) as number;
    expect(Math.abs(said - share)).toBeLessThan(0.03);
    expect(row.kind in measured.shares).toBe(true);
  });

  it('is interpolated between what was measured', () => {
    const at = (errorRate: number): number =>
      gzipShare(answer({ kind: 'blocked', values: { capacity: 1e5, errorRate } })) as number;
    expect(at(3e-4)).toBeLessThan(at(1e-3));
    expect(at(3e-4)).toBeGreaterThan(at(1e-4));
    expect(at(0.3)).toBe(at(0.1));
  });

  it('is not told for hashes that nobody measured', () => {
    expect(gzipShare(answer({ hashes: 2 }), { hashes: 2 })).toBeUndefined();
    expect(transferOf(answer({ hashes: 2 }), { hashes: 2 }, 10).gzip).toMatch(/^not measured/);
  });
});

describe('the same question to all kinds', () => {
  it('shows what was asked for: the size, the keys or the error rate', () => {
    const [capacity, errorRate, bits] = [1_000_000, 0.01, 64e6 * 8];
    const blocked = rowNamed('blocked');
    expect(tableRow(first, blocked).figures).toEqual(['1.32 MB', '10.5', '8']);
    const keys = tableRow(ask({ given: ['errorRate', 'bits'], values: { errorRate, bits } }), blocked);
    expect(keys.figures[0]).toMatch(/^48,\d\d\d,\d\d\d$/);
    const rate = tableRow(ask({ given: ['capacity', 'bits'], values: { capacity, bits: 8e6 } }), rowNamed('fuse'));
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

describe('the code of the calculator', () => {
  const promised = ask({ values: { capacity: 1234, errorRate: 0.01 } });
  const ofSize = ask({ given: ['capacity', 'bits'], values: { capacity: 1234, bits: 123_456 } });
  const programs = eachKind.flatMap(([kind, row]) =>
    [promised, ofSize].map(
      (question, i) => [kind, i === 0 ? 'a capacity' : 'a size', row, { ...question, kind }] as const,
    ),
  );
  it.each(programs)('runs as it stands: %s of %s', async (kind, _, { entry, className }, question) => {
    const { shape } = solve(question);
    const code = typeScript(question, solve(question));
    const imports = [...code.matchAll(/^import \{ (\w+) \} from '(.+)';$/gm)].map(([, name = '', from = '']) => [
      name,
      from,
    ]);
    expect(imports.at(-1)).toEqual([className, entry]);
    const classes = await Promise.all(
      imports.map(async ([name = '', from = '']) => ((await import(from)) as never)[name]),
    );
    const body = `${code.replaceAll(/^import .*$/gm, '')}\nreturn { filter, said: ${/^filter\.(?:has|labelOf)\(.*\)(?=;)/m.exec(code)?.[0]} };`;
    const { filter, said } = new Function(...imports.map(([name]) => name as string), body)(...classes);
    expect(filter).toBeInstanceOf(classes.at(-1));
    if (kind !== 'fuse' && kind !== 'tombstone') expect(filter.cellCount).toBe(shape.cells);
    if (kind !== 'tombstone') expect(filter.cellBits).toBe(shape.cellBits);
    expect(String(said)).toBe(/; \/\/ (\w+)[^\n]*$/.exec(code)?.[1]);
  });

  it('is for Redis what Redis holds', () => {
    expect(redis(answer({ kind: 'blocked' })).code).toContain(
      "RedisBloomFilter.open(client, 'names', { capacity: 1_000_000, errorRate: 0.01 })",
    );
    expect(redis(answer({ kind: 'blocked' })).note).toBe('It takes 1.32 MB in Redis.');
    expect(redis(answer()).note).toBe('In Redis the filter is a blocked one: 1.32 MB.');
    expect(redis(answer({ kind: 'rotating' })).code).toContain('window: 24 * 60 * 60 * 1000 })');
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

  it.each(eachKind)('of a filling filter rise to the error rate at the capacity: %s', (kind) => {
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
  const far: Partial<Question> = { given: ['capacity', 'bits'], values: { capacity: 1, bits: 1e10 } };
  const drawings = (width: number): Drawing[] => [
    bitsDrawing(answer(), width, 352),
    bitsDrawing(answer({ kind: 'stable', values: { capacity: 1000, errorRate: 1e-12 } }), width, 352),
    fillingDrawing([answer(), answer({ kind: 'fuse' }), answer({ kind: 'scalable' })], width, 352),
    fillingDrawing([answer({ values: { capacity: 1, errorRate: 1e-60 } })], width, 352),
    fillingDrawing([answer({ kind: 'classic' }), answer({ kind: 'fuse' }), answer({ kind: 'cuckoo' })], width, 352),
    ...[answer({ ...far, kind: 'classic' }), answer({ ...far, kind: 'blocked' })].flatMap((empty) => [
      fillingDrawing([empty], width, 352),
      bitsDrawing(empty, width, 352),
    ]),
  ];

  it.each([280, 480, 720])('stay inside, and write no two names on one another: %d px', (width) => {
    for (const { marks, height } of drawings(width)) {
      const texts = marks.filter((mark) => mark.type === 'text');
      const points = marks.flatMap((mark) => (mark.type === 'line' ? mark.points : [mark.at]));
      expect(points.filter(({ x, y }) => !(x >= 0 && x <= width && y >= 0 && y <= height))).toEqual([]);
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

  it('are SVG without styles that a policy would refuse', () => {
    for (const drawing of drawings(480)) {
      const svg = toSvg({ ...drawing, title: 'a < b & "c"' }, paletteOf('dark'));
      expect(svg).toContain('<title>a &lt; b &amp; &quot;c&quot;</title>');
      expect(svg).not.toMatch(/style|NaN|undefined|Infinity/);
    }
  });

  it('are painted with all their lines and texts', () => {
    const calls: string[] = [];
    const brush = new Proxy({} as Brush, {
      get: (_, name: string) => (text: unknown) => calls.push(name === 'fillText' ? String(text) : name),
      set: () => true,
    });
    const [drawing] = drawings(480) as [Drawing];
    paint(brush, drawing, paletteOf('light'), 2);
    const lines = drawing.marks.filter(({ type }) => type === 'line');
    expect(calls.filter((call) => call === 'stroke')).toHaveLength(lines.length);
    for (const mark of drawing.marks) if (mark.type === 'text') expect(calls).toContain(mark.text);
  });

  it('move names apart, within their limits and in their order', () => {
    const limits = [0, 200] as const;
    fc.assert(
      fc.property(fc.array(fc.double({ min: -50, max: 300, noNaN: true }), { maxLength: 14 }), (values) => {
        const places = spread(values, 14, ...limits);
        const sorted = [...places].sort((one, other) => one - other);
        for (const [i, place] of sorted.entries())
          if (i > 0) expect(place - (sorted[i - 1] as number)).toBeGreaterThan(13.9);
        expect(Math.min(0, ...places)).toBe(0);
        expect(Math.max(200, ...places)).toBe(200);
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

describe('the colors of charts', () => {
  it.each(['light', 'dark'] as const)('can be read: %s', (theme) => {
    const { ground, text, muted } = ink;
    for (const tone of [text, muted, accent, ...Object.values(kindColors)]) {
      const [brighter = 0, darker = 0] = [tone[theme], ground[theme]].map(luminance).sort((one, other) => other - one);
      expect((brighter + 0.05) / (darker + 0.05), tone[theme]).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('are different for each kind, and none is missing', () => {
    expect(Object.keys(kindColors).sort()).toEqual(kinds.map(({ kind }) => kind).sort());
    for (const theme of ['light', 'dark'] as const) {
      const used = Object.values(kindColors).map((tone) => tone[theme]);
      expect(new Set(used).size).toBe(used.length);
    }
  });
});
