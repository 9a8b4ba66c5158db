// The article: that it is short, and that what it says is what the library computes.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter, expectedErrorRate, optimalBits, optimalHashes } from '../../../src/index.ts';
import { chooseEngine } from '../../src/engine.ts';
import { byteSize, percent, short } from '../../src/format.ts';
import { kindOf } from '../../src/how/small/kinds.ts';
import { Model } from '../../src/how/small/model.ts';
import { steps } from '../../src/how/steps.ts';

const files = readdirSync('site').filter((name) => name.endsWith('.html'));
const read = (file: string): string => readFileSync(`site/${file}`, 'utf8');
const article = read('what.html').replaceAll('&nbsp;', ' ');

/** The texts of the cells in the rows of a table, without its head. */
function rowsBetween(begin: string, end: string): string[][] {
  const part = article.slice(article.indexOf(begin), article.indexOf(end));
  const rows = part.slice(part.indexOf('<tbody>'), part.indexOf('</tbody>')).match(/<tr>.*<\/tr>/g) ?? [];
  return rows.map((row) => Array.from(row.matchAll(/<td[^>]*>([^<]*)</g), ([, text = '']) => text));
}

describe('the article', () => {
  it('is read aloud in about four minutes, without a script', () => {
    const aside =
      /<(table|noscript)[\s\S]*?<\/\1>|<p class="small">[\s\S]*?<\/p>|<div class="cells[\s\S]*?<\/div>\s*<\/div>/g;
    const text = article
      .slice(article.indexOf('<main'))
      .replaceAll(aside, '')
      .replaceAll(/<[^>]*>/g, ' ');
    const words = text.match(/\S*[\p{L}\d]\S*/gu) ?? [];
    expect(words.length).toBeGreaterThan(550);
    expect(words.length).toBeLessThan(700);
  });

  it('tells its story before its bits, and has an anchor for each question', () => {
    const headings = [...article.matchAll(/<h2 id="([\w-]+)"><a href="#([\w-]+)">/g)];
    expect(headings).toHaveLength(article.match(/<h2/g)?.length ?? 0);
    for (const [, id, target] of headings) expect(target).toBe(id);
    const questions = ['maybe', 'large', 'hashes', 'full', 'delete', 'set', 'strangers'];
    expect(headings.map(([, id]) => id)).toEqual(expect.arrayContaining(questions));
    const begin = article.indexOf('A story without bits</a></h2>');
    const story = article.slice(begin, article.indexOf('<h2 id="bits-and-hashes"'));
    expect(story.slice(story.indexOf('<p>'))).not.toMatch(/\bbits?\b|\bhash/);
  });

  it('shows two keys that really have the same bits, in the filter of its picture', async () => {
    const model = await Model.create(kindOf('classic'), await chooseEngine());
    const pairs = rowsBetween('id="maybe"', 'id="bits"');
    expect(pairs).toHaveLength(2);
    for (const [key = '', bits] of pairs) expect(model.placeOf(key).cells.join(', ')).toBe(bits);
    const [[added = ''] = [], [asked = ''] = []] = pairs;
    model.add(added);
    expect(model.has(asked)).toBe(true);
    const { step } = await import('../../src/how/steps/bits.ts');
    expect(step.text[0]).toContain(`“${added}” was added, and “${asked}” has the same bits`);
  });

  it('has the sizes and rates of the library', () => {
    const rows = rowsBetween('id="sizes"', 'id="hashes"');
    expect(rows).toHaveLength(4);
    for (const [rate = '', ...shown] of rows) {
      const bits = optimalBits(1_000_000, Number(rate.replace(' %', '')) / 100);
      expect(shown).toEqual([short(bits / 1e6), String(optimalHashes(1_000_000, bits)), byteSize(bits / 8)]);
    }
    const twice = expectedErrorRate(2_000_000, optimalBits(1_000_000, 0.01), 7);
    expect(article).toContain(`an error rate of 1 % becomes ${percent(Number(twice.toPrecision(2)))}`);
    const more = (optimalBits(1e6, 1e-3) - optimalBits(1e6, 1e-2)) / 1e6;
    expect(article).toContain(`${more.toFixed(1)} more bits a key`);
    const { byteLength } = new BlockedBloomFilter({ capacity: 4_500_000, errorRate: 0.01 });
    expect(article).toContain(`${(byteLength / 1e6).toFixed(1)} MB in a <a href="how.html#blocked">blocked filter</a>`);
    const [, most = ''] = /at least<\/span> <span class="number">([^<]*)/.exec(read('index.html')) ?? [];
    expect(article).toContain(`at least ${most} there`);
  });
});

it('each step has one place, in its own page', () => {
  for (const { id, page } of steps) {
    const places = files.filter((file) => new RegExp(`<section class="step" id="${id}">`).test(read(file)));
    expect(places, id).toEqual([page]);
  }
});
