// A million lines, filtered by a million, compared with the library's own answer in Node.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { WideBlockedBloomFilter } from '../../../src/entries/wide.ts';
import { BloomFilter, lines } from '../../../src/index.ts';
import { sha256 } from '../../../test/runtimes/browsers/list-file.ts';
import { sleep } from '../../../test/runtimes/browsers/processes.ts';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import type { Check } from '../../../test/runtimes/checks/check.ts';
import { FilterPage, type Mode } from '../filter-page.ts';
import { LINES } from '../lists.ts';
import type { World } from '../world.ts';

const count = (value: number): string => value.toLocaleString('en');

/** Rare enough that half of the lines are kept, and frequent enough that errors show if bits are wrong. */
const RATE = 0.01;
/** For this one the page takes a wide filter, and for the other a blocked one. */
const RARE = 1e-6;
/** The size of the mark at the beginning of the text. */
const MARK_BYTES = 3;

/** The contents of a file, once all of it is there. */
async function downloaded(path: string): Promise<Buffer> {
  for (let waited = 0, size = -1; waited < 20_000; waited += 200) {
    await sleep(200);
    if (!existsSync(path)) continue;
    const bytes = readFileSync(path);
    if (bytes.length > 0 && bytes.length === size) return bytes;
    size = bytes.length;
  }
  throw new Error(`no download at ${path}`);
}

function matches(world: World, mode: Mode): Check {
  return [
    `${mode}: a million lines give what the library gives in Node`,
    async () => {
      const { lists, browser, server } = world;
      const page = new FilterPage(browser, server.url);
      const text = mode === 'once' ? lists.repeated : lists.text;
      await page.describe({ mode, text, ...(mode !== 'once' && { list: lists.list }), errorRate: RATE });
      const said = await page.start();
      const read = mode === 'once' ? 2 * LINES : LINES;
      holds(said.startsWith('Done: ') && said.endsWith(`of ${count(read)} lines.`), said);
      same(await page.text('lines'), count(read), 'lines read');
      same(await page.text('engine'), 'It ran on WebAssembly.', 'engine');
      const capacity = await page.capacity();
      holds(capacity >= read - 0.5 * LINES && capacity < 1.2 * read, `made for ${capacity}`);
      same(await page.digestOf('download'), lists.expected(mode, capacity, RATE), 'SHA-256 of the lines');
      return `${await page.text('speed')} lines/s`;
    },
  ];
}

function reachesDisk({ browser, server, lists, downloads }: World): Check[] {
  if (downloads === undefined) return [];
  return [
    [
      'the downloaded file has the lines',
      async () => {
        const page = new FilterPage(browser, server.url);
        await page.describe({ mode: 'drop', text: lists.text, list: lists.list, errorRate: RATE });
        await page.start();
        await page.click('download');
        const bytes = await downloaded(join(downloads, 'text-left.txt'));
        same(sha256(bytes), lists.expected('drop', await page.capacity(), RATE), 'SHA-256 of the file');
      },
    ],
  ];
}

function cancels({ browser, server, lists, wrong }: World): Check {
  return [
    'cancel ends it in the middle, and it can run again',
    async () => {
      const page = new FilterPage(browser, server.url);
      await page.describe({ mode: 'once', text: wrong['some.txt'] as string, errorRate: RATE });
      await page.start();
      same(await page.text('result-of'), 'The lines of some.txt, each once', 'title of the first run');
      await page.upload('text-file', lists.large);
      await page.click('start');
      const at = await page.until<number>('progress', 'return document.getElementById("progress").value');
      holds(at > 0 && at < 0.9, `progress: ${at}`);
      const begun = Date.now();
      await page.click('cancel');
      same(await page.end(), 'Canceled.', 'status');
      const ms = Date.now() - begun;
      holds(ms < 1500, `canceled after ${ms} ms`);
      same(await page.text('result-of'), 'The lines of large.txt, each once', 'title');
      same(await page.text('facts'), '', 'facts about the filter of the run before');
      same(await page.text('time'), '–', 'time of the run before');
      same(
        await browser.evaluate<boolean>('return document.getElementById("download").disabled'),
        true,
        'the download is disabled',
      );
      await page.upload('text-file', lists.repeated);
      holds((await page.start()).startsWith('Done: '), 'it runs again');
      return `at ${(100 * at).toFixed(0)} %, within ${ms} ms`;
    },
  ];
}

function savesAndLoads({ name, browser, server, lists }: World): Check {
  return [
    'a saved filter is that of the library, and gives the same lines when it is loaded',
    async () => {
      const page = new FilterPage(browser, server.url);
      await page.describe({ mode: 'drop', text: lists.text, list: lists.list, errorRate: RARE });
      await page.start();
      const capacity = await page.capacity();
      const filter = new WideBlockedBloomFilter({ capacity, errorRate: RARE });
      filter.addMany(lines(readFileSync(lists.list)));
      const saved = filter.toBytes();
      same(await page.digestOf('save-filter'), sha256(saved), 'SHA-256 of the filter');

      // A file of its own: one that another browser's checks write anew can no longer be read.
      const file = `saved-by-${name}.bloom`;
      const path = join(lists.folder, file);
      writeFileSync(path, saved);
      await page.describe({ mode: 'drop', text: lists.text, errorRate: RARE });
      await page.upload('list-filter', path);
      const status = await page.textLike('list-status', /filter/);
      same(status, `${file}: a wide filter, made for ${count(capacity)} keys`, 'status');
      await page.start();
      same(await page.fact('bits'), count(filter.cellCount), 'bits');
      same(await page.fact('hashes'), String(filter.hashes), 'hashes');
      holds(/^\d+(\.\d+)? %$/.test(await page.fact('fill')), 'fill');
      const left = filter.omit(lines(readFileSync(lists.text).subarray(MARK_BYTES))).bytes;
      same(await page.digestOf('download'), sha256(left), 'SHA-256 of the lines');
    },
  ];
}

/** Writes to a file as the File System Access API does: into one of the browser's own, which needs no dialog. */
function streamsToFile({ name, browser, server, lists }: World): Check[] {
  if (name !== 'chromium') return [];
  return [
    [
      'the lines go into a file that was chosen',
      async () => {
        const page = new FilterPage(browser, server.url);
        await page.describe({ mode: 'keep', text: lists.text, list: lists.list, errorRate: RATE });
        await browser.evaluate(`
          const root = await navigator.storage.getDirectory();
          window.showSaveFilePicker = ({ suggestedName }) => root.getFileHandle(suggestedName, { create: true });`);
        await page.click('start-to-file');
        await page.textLike('progress-text', /the lines are in text-kept\.txt/);
        const digest = await browser.evaluate<string>(`
          const root = await navigator.storage.getDirectory();
          const file = await (await root.getFileHandle('text-kept.txt')).getFile();
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
          return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');`);
        same(digest, lists.expected('keep', await page.capacity(), RATE), 'SHA-256 of the file');
      },
    ],
  ];
}

function takesSamples({ browser, server }: World): Check {
  return [
    'the sample gives half of its names, with all figures on one screen',
    async () => {
      const page = new FilterPage(browser, server.url);
      await browser.resize(1280, 800);
      await page.open();
      await page.click('sample');
      await page.textLike('list-status', /second-list/);
      same(await page.start(), 'Done: 25,000 of 50,000 lines.', 'status');
      same(await browser.evaluate<number>('return document.querySelectorAll("#preview li").length'), 10, 'lines shown');
      const [top, bottom] = await browser.evaluate<[number, number]>(`
        const of = (id) => document.getElementById(id).getBoundingClientRect();
        return [of('progress').top, of('save-filter').bottom];`);
      holds(top >= 0 && bottom <= 800, `progress at ${top} px, the last button at ${bottom} px`);
    },
  ];
}

function takesDrops({ browser, server }: World): Check {
  return [
    'files that are dropped are taken: onto an input, or two of them anywhere, packed or not',
    async () => {
      const page = new FilterPage(browser, server.url);
      await page.open();
      const bytes = (contents: string | Uint8Array): number[] => [...Buffer.from(contents)];
      /** Drops files onto the first element that a selector finds. */
      const drop = (selector: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> =>
        browser.evaluate(`
          const dataTransfer = new DataTransfer();
          const files = ${JSON.stringify(Object.entries(files).map(([name, contents]) => [name, bytes(contents)]))};
          for (const [name, contents] of files) dataTransfer.items.add(new File([Uint8Array.from(contents)], name));
          const event = new DragEvent('drop', { dataTransfer, cancelable: true, bubbles: true });
          document.querySelector('${selector}').dispatchEvent(event);
          if (!event.defaultPrevented) throw new Error('the browser would open the file');`);
      await drop('#text', { 'dropped.txt': 'ada\nbob\n' });
      await drop('#list', { 'dropped.bloom': BloomFilter.from(['ada']).toBytes() });
      await page.textLike('list-status', /^dropped\.bloom: a classic filter/);
      same(await page.text('text-status'), 'dropped.txt, 8 bytes', 'status');
      same(await page.start(), 'Done: 1 of 2 lines.', 'result');

      await drop('h1', {
        'both.txt.gz': gzipSync('ada\nbob\neve\n'),
        'second.csv': 'ada,1\nbob,2\n',
        'third.txt': 'x',
      });
      await page.textLike('list-status', /^second\.csv/);
      same(
        await page.text('drop-said'),
        'There are two lists, one of which may be a filter: not taken: third.txt.',
        'note',
      );
      same(await page.start(), 'Done: 0 of 3 lines.', 'result of both');
      same(await page.text('result-of'), 'The lines of both.txt.gz that are in second.csv', 'title');
      holds((await page.text('hint')).includes('The second list has columns'), 'a hint at the columns');
    },
  ];
}

export function filtering(world: World): Check[] {
  return [
    matches(world, 'keep'),
    matches(world, 'drop'),
    matches(world, 'once'),
    ...reachesDisk(world),
    ...streamsToFile(world),
    cancels(world),
    savesAndLoads(world),
    takesSamples(world),
    takesDrops(world),
  ];
}
