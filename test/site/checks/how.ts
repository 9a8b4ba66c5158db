// The picture that shows how a filter works: its cells are those of the library.

import { absentNames, nameAt } from '../../../site/src/how/names.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type GrowingFilter } from '../../../src/index.ts';
import { holds, same, sameList } from '../../runtimes/checks/assert.ts';
import type { Check } from '../../runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';
import { expectAccessible, overflow, WIDTHS } from './looks.ts';

const HEIGHT = 900;
/** Where the body of these kinds begins. */
const BODY = 64;
const COUNTER_BITS = 4;

/** Filters as large as those of the page. */
const filters = {
  classic: () => new BloomFilter({ bits: 128, hashes: 4 }),
  blocked: () => new BlockedBloomFilter({ bits: 1024 }),
  counting: () => new CountingBloomFilter({ counters: 64, hashes: 3 }),
} as const;
type Kind = keyof typeof filters;
const kinds = Object.keys(filters) as Kind[];

/** The cells as docs/format.md numbers them. */
function cellsOf(filter: GrowingFilter): number[] {
  const body = [...filter.toBytes().subarray(BODY)];
  const bits = body.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1));
  if (filter.cellBits === 1) return bits;
  return Array.from({ length: bits.length / COUNTER_BITS }, (_, i) =>
    bits.slice(i * COUNTER_BITS, (i + 1) * COUNTER_BITS).reduce((sum, bit, place) => sum + (bit << place), 0),
  );
}

class HowPage extends SitePage {
  async show(kind: Kind): Promise<void> {
    await this.open('how.html');
    await this.browser.evaluate(`document.querySelector('input[value=${kind}]').click()`);
    await this.until('the picture', `return document.querySelector('[data-kind=${kind}] .block i') !== null`);
  }

  write(key: string): Promise<void> {
    return this.browser.evaluate(`
      const input = document.getElementById('key');
      input.value = ${JSON.stringify(key)};
      input.dispatchEvent(new Event('input'));`);
  }

  cells(): Promise<number[]> {
    return this.browser.evaluate(`
      return [...document.querySelectorAll('#picture i')].map(({ dataset }) => Number(dataset.value));`);
  }

  marked(): Promise<number[]> {
    return this.browser.evaluate(`
      const cells = [...document.querySelectorAll('#picture i')];
      return cells.flatMap(({ classList }, i) => (classList.contains('marked') ? [i] : []));`);
  }
}

function showsCells({ browser, server }: World, kind: Kind): Check {
  return [
    `how it works, ${kind}: the cells and the false positives are those of the library`,
    async () => {
      const page = new HowPage(browser, server.url);
      await page.show(kind);
      const filter = filters[kind]();
      for (const key of ['ada', 'grace', 'é', '']) {
        await page.write(key);
        const single = filters[kind]();
        single.add(key);
        const wanted = cellsOf(single).flatMap((value, cell) => (value > 0 ? [cell] : []));
        sameList(await page.marked(), wanted, `cells of '${key}'`);
        await page.click('add');
        filter.add(key);
        sameList(await page.cells(), cellsOf(filter), `cells with '${key}'`);
      }
      for (let i = 0; i < 3; i++) await page.click('add-ten');
      filter.addMany(Array.from({ length: 30 }, (_, i) => nameAt(i)));
      sameList(await page.cells(), cellsOf(filter), 'cells with 30 names');
      const wrong = filter.pick(absentNames).length;
      same(await page.text('wrong'), wrong.toLocaleString('en'), 'false positives');
      same(await page.text('count'), '34', 'keys');
      return `${wrong} false positives, ${await page.text('formula')} by the formula`;
    },
  ];
}

/** Each kind at each width. */
export function howLooks({ browser, server }: World): Check[] {
  return kinds.flatMap((kind) =>
    WIDTHS.map(
      (width): Check => [
        `how it works, ${kind}, ${width} px: fits, axe finds nothing`,
        async () => {
          const page = new HowPage(browser, server.url);
          await browser.resize(width, HEIGHT);
          await page.show(kind);
          await page.click('add');
          await page.click('add-ten');
          same(await overflow(page), 0, 'overflow');
          await expectAccessible(page);
        },
      ],
    ),
  );
}

export function how(world: World): Check[] {
  const { browser, server } = world;
  const page = new HowPage(browser, server.url);
  return [
    ...kinds.map((kind) => showsCells(world, kind)),
    [
      'how it works: the hash is that of the specification',
      async () => {
        await page.show('classic');
        await page.write('a');
        same(await page.text('hash'), '85555', 'hash of a');
        await page.write('hello, world');
        same(await page.text('hash'), '342fa', 'hash of hello, world');
      },
    ],
    [
      'how it works: says what happened, with the keyboard alone',
      async () => {
        await page.show('counting');
        await browser.evaluate(`document.getElementById('key').select?.(); document.getElementById('key').focus()`);
        await browser.type('bob');
        await browser.press('Enter');
        const said = await page.textLike('said', /^Added “bob”: counted up counters /);
        await page.tabTo('remove');
        await browser.press('Enter');
        same(await page.text('said'), said.replace('Added', 'Removed').replace('up', 'down'), 'after removal');
        holds(
          (await page.cells()).every((value) => value === 0),
          'a counter is left',
        );
        await page.click('look-up');
        holds(/^“bob” is certainly absent: counters .* are 0\.$/.test(await page.text('said')), 'the lookup');
      },
    ],
    [
      'how it works: tells a false positive, and what its removal costs',
      async () => {
        await page.show('counting');
        for (let i = 0; i < 3; i++) await page.click('add-ten');
        const filter = filters.counting();
        const names = Array.from({ length: 30 }, (_, i) => nameAt(i));
        filter.addMany(names);
        const wrong = filter.pick(absentNames)[0] as string;
        await page.write(wrong);
        await page.click('look-up');
        holds(
          (await page.text('said')).endsWith('But nobody added it: this is a false positive.'),
          'the false positive',
        );
        await page.click('remove');
        filter.remove(wrong);
        const lost = filter.omit(names).length;
        const said = await page.text('said');
        holds(said.includes(lost === 0 ? 'No other key' : `${lost} key`), `${lost} lost, but said: ${said}`);
      },
    ],
    ...howLooks(world),
  ];
}
