import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../tools/entries.ts';
import { chooseEngine } from '../src/engine.ts';
import { codeOf, type Fields, keysIn, runLines } from '../src/first-page/four-lines.ts';
import { madeNames } from '../src/first-page/race.ts';
import { byteSize } from '../src/format.ts';
import { kindsPicture, picturedKinds } from '../tools/kinds-picture.ts';
import { newestSpeedChart } from '../tools/speed-chart.ts';

const engine = await chooseEngine();
const html = readFileSync('site/index.html', 'utf8');

/** The first group of a pattern in the page. */
function inPage(pattern: RegExp): string {
  const found = pattern.exec(html)?.[1];
  if (found === undefined) throw new Error(`site/index.html has no ${pattern}`);
  return found;
}

describe('the four lines of the first page', () => {
  const value = (id: string): string => inPage(new RegExp(`id="${id}"\\s+value="([^"]*)"`));
  const [capacity = '', errorRate = '', keys = '', asked = ''] = ['capacity', 'error-rate', 'keys', 'asked'].map(value);
  const fields: Fields = { capacity, errorRate, keys, asked };

  it('say at first what the library gives for them', () => {
    for (const [id, said] of Object.entries(runLines(engine, fields))) {
      expect(inPage(new RegExp(`id="${id}"[^>]*>([^<]*)<`))).toBe(said);
    }
  });

  it('are copied as a program that prints the answer', () => {
    expect(codeOf(fields)).toBe(
      "import { BloomFilter } from 'bloomery';\n" +
        'const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.01 });\n' +
        "taken.addMany(['ada', 'grace', 'alan']);\nconsole.log(taken.has('bob'));\n",
    );
    const awkward = fc.array(fc.string({ unit: fc.constantFrom('a', "'", '\\\\', ' ', 'ü') }), { maxLength: 5 });
    fc.assert(
      fc.property(awkward, (texts) => {
        const given = texts.map((text) => `"${text}"`).join(', ');
        const [, , added = ''] = codeOf({ ...fields, keys: given }).split('\n');
        expect(new Function(`return ${added.slice('taken.addMany('.length, -2)}`)()).toEqual(texts);
      }),
      { seed: 37, numRuns: 100 },
    );
  });

  it.each([
    [{ capacity: 'many' }, 'capacity is no number'],
    [{ capacity: '' }, 'capacity is no number'],
    [{ capacity: '1__0' }, 'capacity is no number'],
    [{ errorRate: '1 %' }, 'errorRate is no number'],
    [{ errorRate: '2' }, 'errorRate must be a number between 0 and 1, both excluded, got 2'],
    [{ capacity: '0' }, 'capacity must be an integer from 1 to 9007199254740991, got 0'],
    [{ capacity: '1e9' }, '1.2 GB; this page makes filters of up to 64 MB'],
    [{ keys: 'a,'.repeat(20_000) }, 'here, at most 10,000 keys are added'],
  ])('refuse what cannot be run: %o', (change, said) => {
    const { made, answered } = runLines(engine, { ...fields, ...change });
    expect(made).toBe(said);
    expect(answered.trim()).toBe('');
  });

  it('take numbers as JavaScript writes them', () => {
    for (const written of ['1000000', '1_000_000', '1e6', ' 1E6 ']) {
      expect(runLines(engine, { ...fields, capacity: written }).made).toBe('1.2 MB; a key sets 7 bits');
    }
  });

  it('find each key that was typed, and throw at nothing', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const any = fc.record({ capacity: text, errorRate: text, keys: text, asked: text });
    const nothing = fc.property(any, (typed) => void runLines(engine, typed));
    fc.assert(nothing, { seed: 37, numRuns: 200 });
    const words = fc.array(fc.stringMatching(/^[a-z ,"]{1,9}$/), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(words, (added) => {
        const list = added.map((key) => `'${key}'`).join(', ');
        expect(keysIn(list)).toEqual(added);
        expect(runLines(engine, { ...fields, keys: list, asked: `'${added[0]}'` }).answered).toMatch(/^true: always/);
      }),
      { seed: 37, numRuns: 50 },
    );
  });
});

it('the race of the first page has sizes before it runs that are those of all names', () => {
  const count = Number(inPage(/data-names="(\d+)"/));
  const { byteLength } = new engine.BlockedBloomFilter({ capacity: count, errorRate: 0.01 });
  for (const shown of [/bloomery <span class="number">([^<]*)/, /id="filter-bytes">([^<]*)/]) {
    expect(inPage(shown)).toBe(byteSize(byteLength));
  }
  const samples = Array.from({ length: 100 }, (_, i) => madeNames((i * count) / 100, 200)).flat();
  const letters = samples.reduce((sum, { length }) => sum + length, 0) / samples.length;
  const bytes = count * (letters + 8);
  for (const shown of [/at least<\/span> <span class="number">([^<]*)/, /at least <span id="set-bytes">([^<]*)/]) {
    expect(inPage(shown)).toBe(byteSize(bytes));
  }
  expect(Number(inPage(/class="bar ours"[\s\S]*?<rect width="(\d+)"/))).toBe(Math.round((1000 * byteLength) / bytes));
});

describe('what the build adds to the first page', () => {
  it('is each mark that the page has', () => {
    expect([...html.matchAll(/<!-- (\w+) -->/g)].map(([, name]) => name)).toEqual(['install', 'speeds', 'usual']);
    expect(readFileSync('site/how.html', 'utf8')).toContain('<!-- kinds -->');
  });

  it('shows every kind of the table of entries, in whole rows of cells', () => {
    expect(picturedKinds.map(({ name }) => name).sort()).toEqual(kinds.map(({ name }) => name).sort());
    for (const { name, cells } of picturedKinds) {
      expect(new Set(cells.map(({ length }) => length)).size, name).toBe(1);
      expect(cells.join('')).toMatch(/^[.xo\-~@A-C0-9 ]+$/);
    }
  });

  it('has the section of each kind and its bits from the documents', () => {
    const picture = kindsPicture('all');
    expect(picture).toContain('docs/kinds.html#removing-from-any-kind');
    expect(picture).toContain('<h3>small at any error rate</h3>');
    expect(picture).toContain('<p class="small">as the other</p>');
    expect(picture).toContain('<p class="small">9.6 bits a key</p>');
    expect(picture).toContain('<p class="small">160 bits a key</p>');
    expect(picture.match(/<li>/g)).toHaveLength(kinds.length);
    expect(kindsPicture('usual').match(/<li>/g)).toHaveLength(4);
  });

  it('has a bar for each of the saved results, the longest for the fastest', () => {
    const chart = newestSpeedChart();
    const widths = [...chart.matchAll(/<rect width="(\d+)"/g)].map(([, width]) => Number(width));
    expect(widths.length).toBeGreaterThan(10);
    expect(Math.max(...widths)).toBe(1000);
    expect(chart.match(/<li/g)).toHaveLength(widths.length / 2);
  });
});
