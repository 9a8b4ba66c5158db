// The picture that shows how a filter works: its cells are those of the library.

import { absentNames, nameAt } from '../../../site/src/how/names.ts';
import { expectedText } from '../../../site/src/how/wording.ts';
import { CuckooFilter, expectedCuckooErrorRate } from '../../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter, expectedDLeftErrorRate } from '../../../src/entries/dleft.ts';
import { SpatialBloomFilter } from '../../../src/entries/spatial.ts';
import { expectedStableErrorRate, StableBloomFilter } from '../../../src/entries/stable.ts';
import {
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  expectedBlockedErrorRate,
  expectedErrorRate,
  type Filter,
} from '../../../src/index.ts';
import { holds, same, sameList } from '../../runtimes/checks/assert.ts';
import type { Check } from '../../runtimes/checks/check.ts';
import { SitePage } from '../page.ts';
import type { World } from '../world.ts';
import { expectAccessible, expectStill, overflow, WIDTHS } from './looks.ts';

const HEIGHT = 900;
/** Where a file says where its body begins. */
const BODY_BEGINS = 40;

type Small = Filter & { add(key: string, label: number): unknown; remove?(key: string): boolean };

/** A filter as large as that of the page. */
interface SmallKind {
  make(): Small;
  rate(keys: number): number;
  /** How many copies of a key fill all cells in which it may be, and how many cells those are; by default, 1 fills some. */
  readonly copies?: readonly [copies: number, cells?: number];
  readonly forgets?: true;
}

const kindsByName = {
  classic: {
    make: () => new BloomFilter({ bits: 128, hashes: 4 }),
    rate: (keys) => expectedErrorRate(keys, 128, 4),
  },
  blocked: {
    make: () => new BlockedBloomFilter({ bits: 1024 }),
    rate: (keys) => expectedBlockedErrorRate(keys, 1024),
  },
  counting: {
    make: () => new CountingBloomFilter({ counters: 64, hashes: 3 }),
    rate: (keys) => expectedErrorRate(keys, 64, 3),
  },
  stable: {
    make: () => new StableBloomFilter({ cells: 128, cellBits: 2, hashes: 3, decrements: 8 }),
    rate: () => expectedStableErrorRate(128, 2, 3, 8),
    forgets: true,
  },
  cuckoo: {
    make: () => new CuckooFilter({ buckets: 16, fingerprintBits: 7 }),
    rate: (keys) => expectedCuckooErrorRate(keys, 16, 7),
    copies: [8, 8],
  },
  dleft: {
    make: () => new DLeftCountingBloomFilter({ buckets: 3, remainderBits: 8 }),
    rate: (keys) => expectedDLeftErrorRate(keys, 3, 8),
    copies: [96, 32],
  },
  spatial: {
    make: () => new SpatialBloomFilter({ cells: 128, hashes: 4, labels: 3 }),
    rate: (keys) => expectedErrorRate(keys, 128, 4),
  },
} as const satisfies Readonly<Record<string, SmallKind>>;
type Kind = keyof typeof kindsByName;
const kinds = Object.keys(kindsByName) as Kind[];

/** The cells as docs/format.md numbers them. */
function cellsOf(filter: Filter): number[] {
  const file = filter.toBytes();
  const body = [...file.subarray(new DataView(file.buffer).getUint32(BODY_BEGINS, true))];
  const bits = body.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1));
  const { cellBits, cellCount } = filter;
  return Array.from({ length: cellCount }, (_, i) =>
    bits.slice(i * cellBits, (i + 1) * cellBits).reduce((sum, bit, place) => sum + (bit << place), 0),
  );
}

/** The cells that a key sets, or in which it may be. */
function placesOf(kind: Kind, key: string): number[] {
  const { make, copies: [copies, count] = [1] }: SmallKind = kindsByName[kind];
  const single = make();
  for (let copy = 0; copy < copies; copy++) single.add(key, 1);
  const places = cellsOf(single).flatMap((value, cell) => (value > 0 ? [cell] : []));
  if (count !== undefined) same(places.length, count, 'cells that may have a key');
  return places;
}

class HowPage extends SitePage {
  async show(kind: Kind): Promise<void> {
    await this.open('how.html');
    await this.choose(kind);
  }

  async choose(kind: Kind): Promise<void> {
    await this.browser.evaluate(`document.querySelector('input[value=${kind}]').click()`);
    await this.untilShown(kind);
  }

  /** Opens the link to a kind. */
  async link(kind: Kind): Promise<void> {
    // From another page: a link that differs in its fragment alone does not load the page.
    await this.open();
    await this.open(`how.html#${kind}`);
    await this.untilShown(kind);
  }

  untilShown(kind: Kind): Promise<boolean> {
    return this.until('the picture', `return document.querySelector('[data-kind=${kind}] .block i') !== null`);
  }

  /** Chooses a label, for keys that have one. */
  label(label: number): Promise<void> {
    return this.browser.evaluate(`document.getElementById('label').value = '${label}'`);
  }

  isShown(id: string): Promise<boolean> {
    return this.browser.evaluate(`return document.getElementById('${id}').offsetParent !== null`);
  }

  write(key: string): Promise<void> {
    return this.browser.evaluate(`
      const input = document.getElementById('key');
      input.value = ${JSON.stringify(key)};
      input.dispatchEvent(new Event('input'));`);
  }

  pictureHeight(): Promise<number> {
    return this.browser.evaluate(`return document.getElementById('picture').offsetHeight`);
  }

  cells(): Promise<number[]> {
    return this.browser.evaluate(`
      return [...document.querySelectorAll('#picture i')].map(({ dataset }) => Number(dataset.value));`);
  }

  withClass(name: string): Promise<number[]> {
    return this.browser.evaluate(`
      const cells = [...document.querySelectorAll('#picture i')];
      return cells.flatMap(({ classList }, i) => (classList.contains('${name}') ? [i] : []));`);
  }

  marked(): Promise<number[]> {
    return this.withClass('marked');
  }
}

function showsCells({ browser, server }: World, kind: Kind): Check {
  const row: SmallKind = kindsByName[kind];
  return [
    `how it works, ${kind}: the cells and the errors are those of the library`,
    async () => {
      const page = new HowPage(browser, server.url);
      await page.show(kind);
      const filter = row.make();
      same(await page.isShown('remove'), filter.remove !== undefined, 'a button to remove');
      const hasLabels = filter instanceof SpatialBloomFilter;
      same(await page.isShown('label'), hasLabels, 'a choice of label');
      const keys = ['ada', 'grace', 'é', ''];
      const lastLabel = 2;
      for (const [i, key] of keys.entries()) {
        const label = i === keys.length - 1 ? lastLabel : 3 - i;
        await page.write(key);
        sameList(await page.marked(), placesOf(kind, key), `cells of '${key}'`);
        if (hasLabels) await page.label(label);
        await page.click('add');
        filter.add(key, label);
        sameList(await page.cells(), cellsOf(filter), `cells with '${key}'`);
        await page.click('look-up');
        const found = hasLabels ? ` It was added with label ${label}.` : ' It was added.';
        holds((await page.text('said')).endsWith(found), `the lookup of '${key}': ${await page.text('said')}`);
      }
      const names = Array.from({ length: 30 }, (_, i) => nameAt(i));
      for (let i = 0; i < 3; i++) await page.click('add-ten');
      for (const name of names) filter.add(name, lastLabel);
      sameList(await page.cells(), cellsOf(filter), 'cells with 30 names');
      const wrong = filter.pick(absentNames).length;
      same(await page.text('wrong'), wrong.toLocaleString('en'), 'false positives');
      same(await page.text('count'), '34', 'keys');
      same(await page.text('formula'), expectedText(row.rate(34) * absentNames.length), 'the formula');
      const missed = filter.omit([...keys, ...names]);
      same(await page.text('missed'), String(missed.length), 'missed keys');
      same(missed.length > 0, row.forgets === true, 'missing a key');
      return `${wrong} false positives, ${await page.text('formula')} by the formula`;
    },
  ];
}

/** Kinds from which keys can be removed. */
function removes({ browser, server }: World, kind: Kind): Check {
  return [
    `how it works, ${kind}: removes what was added`,
    async () => {
      const page = new HowPage(browser, server.url);
      await page.show(kind);
      const filter = kindsByName[kind].make() as Small;
      await page.click('add-ten');
      for (let i = 0; i < 10; i++) filter.add(nameAt(i), 1);
      const kept = cellsOf(filter);
      const key = filter.omit(absentNames)[0] as string;
      await page.write(key);
      await page.click('add');
      await page.click('remove');
      holds((await page.text('said')).startsWith(`Removed “${key}”: `), 'the removal');
      sameList(await page.cells(), kept, 'cells without the key');
      await page.click('remove');
      same(await page.text('said'), `“${key}” looks absent, so nothing was removed.`, 'a second removal');
      same(await page.text('missed'), '0', 'missed keys');
    },
  ];
}

/** Kinds that refuse keys when they are full. */
function refuses({ browser, server }: World, kind: 'cuckoo' | 'dleft'): Check {
  return [
    `how it works, ${kind}: a full filter refuses a key, and loses none`,
    async () => {
      const page = new HowPage(browser, server.url);
      await page.show(kind);
      const filter = kindsByName[kind].make();
      let name = nameAt(0);
      try {
        for (let i = 1; ; i++) {
          filter.add(name);
          name = nameAt(i);
        }
      } catch {
        for (let i = 0; i <= filter.count / 10; i++) await page.click('add-ten');
      }
      holds((await page.text('said')).includes(`There is no room for “${name}”`), await page.text('said'));
      same(await page.text('count'), String(filter.count), 'keys');
      same(await page.text('missed'), '0', 'missed keys');
      sameList(await page.cells(), cellsOf(filter), 'cells of a full filter');
      await page.write(name);
      await page.click('add');
      holds((await page.text('said')).startsWith(`There is no room for “${name}”`), 'a single key');
      await page.write(nameAt(0));
      await page.click('remove');
      same(await page.text('count'), String(filter.count - 1), 'keys after a removal');
    },
  ];
}

/** Each kind at each width. */
export function howLooks({ browser, server }: World): Check[] {
  return kinds.flatMap((kind) =>
    WIDTHS.map(
      (width): Check => [
        `how it works, ${kind}, ${width} px: fits, nothing moves, axe finds nothing`,
        async () => {
          const page = new HowPage(browser, server.url);
          await browser.resize(width, HEIGHT);
          await page.link(kind);
          await expectStill(page);
          const height = await page.pictureHeight();
          await page.click('add');
          await page.click('add-ten');
          same(await page.pictureHeight(), height, 'height of the picture');
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
    ...(['counting', 'cuckoo', 'dleft'] as const).map((kind) => removes(world, kind)),
    ...(['cuckoo', 'dleft'] as const).map((kind) => refuses(world, kind)),
    [
      'how it works: each kind has a link of its own',
      async () => {
        const hash = (): Promise<string> => browser.evaluate('return location.hash');
        await page.link('stable');
        await page.choose('dleft');
        same(await hash(), '#dleft', 'after a choice');
        await browser.evaluate(`location.hash = '#spatial'`);
        await page.untilShown('spatial');
        holds(await browser.evaluate(`return document.querySelector('input[value=spatial]').checked`), 'the choice');
        await page.open('how.html#nothing');
        await page.untilShown('spatial');
      },
    ],
    [
      'how it works: a stable filter says that it forgets',
      async () => {
        await page.show('stable');
        await page.click('add');
        for (let i = 0; i < 5; i++) await page.click('add-ten');
        holds(/ \d+ keys that were added now look absent\.$/.test(await page.text('said')), await page.text('said'));
        const filter = kindsByName.stable.make();
        const names = Array.from({ length: 50 }, (_, i) => nameAt(i));
        filter.add('ada');
        filter.addMany(names);
        await page.write(filter.omit(names)[0] as string);
        await page.click('look-up');
        const said = await page.text('said');
        holds(said.includes(' is absent, or forgotten: ') && said.endsWith('the filter has forgotten it.'), said);
      },
    ],
    [
      'how it works: a stable filter shows what was counted down',
      async () => {
        await page.show('stable');
        await page.click('add-ten');
        const before = await page.cells();
        await page.click('add');
        const after = await page.cells();
        const lowered = after.flatMap((value, i) => (value < (before[i] as number) ? [i] : []));
        holds(lowered.length > 0, 'nothing was counted down');
        sameList(await page.withClass('lowered'), lowered, 'what stands out');
        await page.click('clear');
        sameList(await page.withClass('lowered'), [], 'what stands out in an empty filter');
      },
    ],
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
        const filter = kindsByName.counting.make();
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
