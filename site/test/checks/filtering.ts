// A million lines, filtered by a million, compared with the library's own answer in Node.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { WideBlockedBloomFilter } from '../../../src/entries/wide.ts';
import { BloomFilter, lines } from '../../../src/index.ts';
import { sleep } from '../../../test/runtimes/browsers/processes.ts';
import { holds, same } from '../../../test/runtimes/checks/assert.ts';
import { LINES, sha256 } from '../files.ts';
import type { Checks, World } from '../world.ts';

const count = (value: number): string => value.toLocaleString('en');

/** Rare enough that half of the lines are kept, and frequent enough that errors show if bits are wrong. */
const RATE = 0.01;
/** For this one the page takes a wide filter, and for the other a blocked one. */
const RARE = 1e-6;
/** The size of the mark at the beginning of the text. */
const MARK_BYTES = 3;

/** The contents of a file, once all of it is there. */
async function downloaded(path: string): Promise<Buffer> {
  for (let waited = 0, size = -1; waited < 20_000; waited += 100) {
    await sleep(100);
    if (!existsSync(path)) continue;
    const bytes = readFileSync(path);
    if (bytes.length > 0 && bytes.length === size) return bytes;
    size = bytes.length;
  }
  throw new Error(`no download at ${path}`);
}

/** Fails unless the page, which has filtered the lists, tells all of it; gives the digest of the right lines. */
async function expectedOf({ filterPage, expected }: World, mode: 'keep' | 'once'): Promise<string> {
  const read = mode === 'once' ? 2 * LINES : LINES;
  await filterPage.says({ lines: count(read), engine: 'It ran on WebAssembly.' });
  const capacity = await filterPage.capacity();
  holds(capacity >= read - 0.5 * LINES && capacity < 1.2 * read, `made for ${capacity}`);
  return expected(mode, capacity, RATE);
}

const MISSING = 'Choose a file or paste lines first.';

/** What is said of files that are loaded as filters. */
const noFilters = {
  'some.txt': 'It is not a filter that bloomery has saved. If it is a list, choose it as a list.',
  'damaged.bloom': 'It is a damaged filter: its checksum is wrong.',
};

/** What is said of files whose lines are to be filtered. */
const noLists = {
  'archive.txt': 'It is a zip archive. Unpack it first.',
  'good.bloom': 'It is a saved filter, not a list of lines.',
};

export const inEach: Checks = {
  'keyboard only: lines are typed, filtered and downloaded': async ({ browser, filterPage }) => {
    await filterPage.open();
    await browser.press('Tab');
    // The first thing to reach is the link that skips the header.
    await filterPage.gives('document.activeElement.classList.contains("skip")', true);
    await browser.press('Enter');
    await filterPage.tabTo('sample');
    await browser.press('Tab');
    await browser.press('ArrowDown');
    await browser.press('ArrowDown');
    await filterPage.gives('document.activeElement.value', 'drop');
    await filterPage.tabTo('text-paste');
    await browser.type('ada');
    await browser.press('Enter');
    await browser.type('bob');
    await filterPage.says({ 'text-status': '2 pasted lines' });
    await filterPage.tabTo('list-paste');
    await browser.type('ada');
    await filterPage.tabTo('start');
    const outline = await filterPage.get('getComputedStyle(document.activeElement).outlineStyle');
    holds(outline !== 'none', 'the focus is not visible');
    await browser.press('Enter');
    same(await filterPage.end(), 'Done: 1 of 2 lines.', 'status');
    await filterPage.says({ 'kept-name': 'lines left', preview: 'bob' });
    await filterPage.gives('document.activeElement.id', 'download');
    await browser.press(' ');
    const blob = 'return window.blobs.length > 0 && window.blobs[0].text()';
    const saved = await filterPage.until<string>('a download', blob);
    same(saved, 'bob', 'download');
    await filterPage.says({ 'progress-text': 'Done: 1 of 2 lines.' });
    await filterPage.click('trim');
    await filterPage.says({ 'progress-text': /^Done: 1 of 2 lines\. The choices have changed since:/ });
  },

  'drop: of a million lines, exactly the right ones are left, also as a file, and the set can be saved': async (
    world,
  ) => {
    const { filterPage, path, downloads, exact } = world;
    await filterPage.describe({ mode: 'drop', text: path('text.txt'), list: path('list.txt'), errorRate: 0 });
    same(await filterPage.start(), `Done: ${count(LINES / 2)} of ${count(LINES)} lines.`, 'status');
    await filterPage.says({ engine: 'It ran on WebAssembly.', 'expected-errors': /^Exact: .* 1 in a trillion\.$/ });
    same(await filterPage.fact('keys in it'), count(LINES), 'keys');
    same(await filterPage.digestOf('save-filter'), exact.set, 'SHA-256 of the set');
    same(await filterPage.digestOf('download'), exact.left, 'SHA-256 of the lines');
    if (downloads === undefined) return;
    same(sha256(await downloaded(join(downloads, 'text-left.txt'))), exact.left, 'SHA-256 of the file');
  },

  'cancel ends it in the middle, and it can run again': async ({ filterPage, path }) => {
    await filterPage.describe({ mode: 'once', text: path('some.txt'), errorRate: RATE });
    await filterPage.start();
    await filterPage.says({ 'result-of': 'The lines of some.txt, each once' });
    await filterPage.upload('text-file', path('large.txt'));
    await filterPage.click('start');
    await filterPage.says({ 'result-of': 'The lines of large.txt, each once' });
    const at = await filterPage.until<number>('progress', 'return document.getElementById("progress").value');
    holds(at > 0 && at < 0.9, `progress: ${at}`);
    const begun = Date.now();
    await filterPage.click('cancel');
    same(await filterPage.end(), 'Canceled.', 'status');
    const ms = Date.now() - begun;
    holds(ms < 1500, `canceled after ${ms} ms`);
    // Nothing is left of the run before.
    await filterPage.says({ facts: '', time: '–' });
    await filterPage.gives('document.getElementById("download").disabled', true);
    await filterPage.upload('text-file', path('some.txt'));
    await filterPage.says({ 'progress-text': 'Canceled.' });
    same(await filterPage.start(), 'Done: 2 of 2 lines.', 'it runs again');
    return `at ${(100 * at).toFixed(0)} %, within ${ms} ms`;
  },

  'a result says that the choices have changed, also while it was made, until the next one': async ({
    filterPage,
    path,
  }) => {
    await filterPage.describe({ mode: 'once', text: path('some.txt'), errorRate: RATE });
    await filterPage.click('start');
    await filterPage.says({ 'result-of': 'The lines of some.txt, each once' });
    await filterPage.click('trim');
    const outdated = /^Done: 2 of 2 lines\. The choices have changed since:/;
    await filterPage.says({ 'progress-text': outdated });
    await filterPage.choose('keep', RATE);
    await filterPage.click('start');
    await filterPage.says({ 'list-status': MISSING, 'progress-text': outdated });
    await filterPage.choose('once', RATE);
    same(await filterPage.start(), 'Done: 2 of 2 lines.', 'status');
  },

  'the sample gives half of its names, with all figures on one screen': async ({ filterPage, browser }) => {
    await browser.resize(1280, 800);
    await filterPage.open();
    await filterPage.click('sample');
    await filterPage.textLike('list-status', /second-list/);
    same(await filterPage.start(), 'Done: 25,000 of 50,000 lines.', 'status');
    await filterPage.gives('document.querySelectorAll("#preview li").length', 10);
    const [top, bottom] = await browser.evaluate<[number, number]>(`
      const of = (id) => document.getElementById(id).getBoundingClientRect();
      return [of('progress').top, of('save-filter').bottom];`);
    holds(top >= 0 && bottom <= 800, `progress at ${top} px, the last button at ${bottom} px`);
  },

  'files that are dropped are taken: onto an input, or two of them anywhere, packed or not': async ({ filterPage }) => {
    await filterPage.open();
    await filterPage.choose('keep', 0);
    /** Drops files onto the first element that a selector finds. */
    const drop = (selector: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> =>
      filterPage.browser.evaluate(`
        const dataTransfer = new DataTransfer();
        const files = ${JSON.stringify(Object.entries(files).map(([name, bytes]) => [name, [...Buffer.from(bytes)]]))};
        for (const [name, bytes] of files) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
        const event = new DragEvent('drop', { dataTransfer, cancelable: true, bubbles: true });
        document.querySelector('${selector}').dispatchEvent(event);
        if (!event.defaultPrevented) throw new Error('the browser would open the file');`);
    await drop('#text', { 'dropped.txt': 'ada\nbob\n' });
    await drop('#list', { 'dropped.bloom': BloomFilter.from(['ada']).toBytes() });
    await filterPage.says({
      'list-status': /^dropped\.bloom: a classic filter/,
      'text-status': 'dropped.txt, 8 bytes',
    });
    same(await filterPage.start(), 'Done: 1 of 2 lines.', 'result');

    await drop('h1', { 'both.txt.gz': gzipSync('ada\nbob\neve\n'), 'second.csv': 'ada,1\nbob,2\n', 'third.txt': 'x' });
    await filterPage.says({
      'list-status': /^second\.csv/,
      'drop-said': 'There are two lists, one of which may be a filter: not taken: third.txt.',
    });
    same(await filterPage.start(), 'Done: 0 of 3 lines.', 'result of both');
    await filterPage.says({
      'result-of': 'The lines of both.txt.gz that are in second.csv',
      hint: /Whole records are compared: tick the column to compare/,
    });
    await filterPage.tick('list', 'Column 1');
    same(await filterPage.start(), 'Done: 2 of 3 lines.', 'result by a column');
  },

  'columns are shown, and one is compared with a member of JSON, in Latin-1': async ({ filterPage, browser, path }) => {
    await filterPage.describe({ mode: 'drop', text: path('users.csv'), list: path('seen.jsonl'), errorRate: 0 });
    await filterPage.until('the table', 'return document.querySelectorAll("#text th").length === 2');
    await filterPage.gives('document.querySelector("#text [value=header]").checked', true);
    await filterPage.gives('document.querySelector("#text td").textContent', 'J\ufffdrgen');
    await browser.evaluate('document.querySelector("#text [value=latin]").click()');
    await filterPage.until('Latin-1', 'return document.querySelector("#text td").textContent === "Jürgen"');
    await filterPage.tick('text', 'email');
    await filterPage.gives('document.activeElement.matches("#text [type=checkbox]")', true);
    await filterPage.tick('list', 'user.mail');
    await browser.evaluate('document.getElementById("ignore-case").click()');
    same(await filterPage.start(), 'Done: 1 of 2 lines.', 'result');
    await filterPage.says({ 'result-of': 'The lines of users.csv that are not in seen.jsonl, by email' });
    const first = '[...document.querySelectorAll("#preview li")].slice(0, 2).map((row) => row.textContent)';
    await filterPage.gives(first, ['name;email', 'Zoë;zoe@x1']);
  },

  'what was pasted and chosen is there again after another page': async ({ filterPage, page }) => {
    await filterPage.open();
    await filterPage.choose('drop', 0.01);
    await filterPage.enter('text-paste', 'a,1\nb,2\n');
    await filterPage.enter('list-paste', 'a\n');
    await page.open('names.html');
    await page.open('list.html');
    await filterPage.says({ 'text-status': '2 pasted lines', 'list-status': '1 pasted line' });
    const chosen = '[document.querySelector("[name=mode]:checked").value, document.getElementById("error-rate").value]';
    await filterPage.gives(chosen, ['drop', '0.01']);
    await filterPage.tick('text', 'Column 1');
    same(await filterPage.start(), 'Done: 1 of 2 lines.', 'result');
    // As a browser does with more than it keeps.
    await filterPage.browser.evaluate(`Storage.prototype.setItem = () => { throw new DOMException('too much'); }`);
    await filterPage.enter('text-paste', 'c\n');
    await page.open('names.html');
    await page.open('list.html');
    await filterPage.says({ 'text-status': 'No lines yet' });
  },
};

export const inChromium: Checks = {
  // In Firefox, its driver opens no other page after this.
  'what was pasted is there again after Back': async ({ filterPage, page, browser }) => {
    await filterPage.open();
    await filterPage.enter('text-paste', 'a,1\nb,2\n');
    await page.open('names.html');
    await browser.evaluate('setTimeout(() => history.back())');
    const said = 'document.getElementById("text-status")?.textContent';
    const isBack = (): Promise<unknown> => filterPage.until('the lines', `return ${said} === '2 pasted lines'`);
    // The first question may be asked while the other page goes.
    await isBack().catch(isBack);
  },

  'files that are no filter or no list are refused, until another is chosen': async ({ filterPage, path }) => {
    await filterPage.open();
    for (const [file, said] of Object.entries(noFilters)) {
      await filterPage.upload('list-filter', path(file));
      await filterPage.says({ 'list-status': `${file}: ${said}` });
    }
    await filterPage.upload('list-filter', path('good.bloom'));
    await filterPage.says({ 'list-status': /^good\.bloom: a classic filter, made for 2 keys$/ });
    await filterPage.gives('document.getElementById("list-status").classList.contains("error")', false);
    await filterPage.choose('once', 0.01);
    for (const [file, said] of Object.entries(noLists)) {
      await filterPage.upload('text-file', path(file));
      await filterPage.says({ 'text-status': `${file}: ${said}` });
      await filterPage.click('start');
      await filterPage.says({ 'text-status': `${file}: ${said}` });
      await filterPage.gives('document.activeElement.id', 'text-file');
    }
  },

  'nothing that was chosen is asked for, until it is not needed': async ({ filterPage, path }) => {
    await filterPage.open();
    await filterPage.choose('keep', 0.01);
    await filterPage.click('start');
    await filterPage.says({ 'text-status': MISSING, 'list-status': MISSING });
    await filterPage.upload('text-file', path('some.txt'));
    await filterPage.says({ 'text-status': 'some.txt, 8 bytes', 'list-status': MISSING });
    await filterPage.choose('once', 0.01);
    same(await filterPage.start(), 'Done: 2 of 2 lines.', 'result');
    await filterPage.choose('keep', 0.01);
    await filterPage.says({ 'list-status': 'No lines yet' });
  },

  'what is wrong with an earlier choice is not said of a later one': async ({ filterPage, browser }) => {
    await filterPage.open();
    await browser.evaluate(`
      const { text } = Blob.prototype;
      const paste = document.getElementById('list-paste');
      for (const read of [() => Promise.reject(new Error('gone')), text]) {
        Blob.prototype.text = read;
        paste.value += 'ada\\n';
        paste.dispatchEvent(new Event('input'));
        await new Promise((resolve) => setTimeout(resolve, read === text ? 500 : 0));
      }`);
    same(await filterPage.text('list-status'), '2 pasted lines', 'status');
  },

  'cancel while a list is still looked at starts nothing': async ({ filterPage, browser, path }) => {
    await filterPage.describe({ mode: 'keep', text: path('some.txt'), errorRate: 0 });
    await browser.evaluate('Blob.prototype.text = () => new Promise((resolve) => { window.look = resolve; })');
    await filterPage.enter('list-paste', 'ada');
    await filterPage.click('start');
    await filterPage.click('cancel');
    same(await filterPage.end(), 'Canceled.', 'status');
    await browser.evaluate('window.look(""); await new Promise((resolve) => setTimeout(resolve, 500));');
    same(await filterPage.text('progress-text'), 'Canceled.', 'status after the look');
  },

  'a script that did not load is asked for again': async ({ filterPage, browser, path }) => {
    await filterPage.describe({ mode: 'once', text: path('some.txt'), errorRate: 0 });
    await browser.evaluate(`
      window.Loaded = window.Worker;
      window.Worker = function (_, options) { return new window.Loaded('missing.js', options); };`);
    same(await filterPage.start(), 'Failed: A script of this page did not load.', 'without the script');
    await browser.evaluate('window.Worker = window.Loaded');
    same(await filterPage.start(), 'Done: 2 of 2 lines.', 'with the script');
  },

  'a list that needs too large a filter is refused': async ({ filterPage, path }) => {
    await filterPage.describe({ mode: 'keep', text: path('some.txt'), list: path('sparse.txt'), errorRate: 1e-6 });
    const advice = 'It needs a filter, which is too large. Allow more wrong lines, or divide the list.';
    same((await filterPage.start()).replace(/ of [\d.]+ GB/, ''), `Failed. Second list: ${advice}`, 'result');
  },

  'once: two million lines give what the library gives in Node': async (world) => {
    const { filterPage, path } = world;
    await filterPage.describe({ mode: 'once', text: path('repeated.txt'), errorRate: RATE });
    await filterPage.start();
    same(await filterPage.digestOf('download'), await expectedOf(world, 'once'), 'SHA-256 of the lines');
  },

  // As the File System Access API does, but into one of the browser's own files, which needs no dialog.
  'keep: the lines go into a file that was chosen, which is not asked for before there is a list': async (world) => {
    const { filterPage, path, browser } = world;
    await filterPage.describe({ mode: 'keep', text: path('text.txt'), errorRate: RATE });
    await browser.evaluate(`
      const root = await navigator.storage.getDirectory();
      window.asked = 0;
      window.showSaveFilePicker = ({ suggestedName }) => {
        window.asked++;
        return root.getFileHandle(suggestedName, { create: true });
      };`);
    await filterPage.click('start-to-file');
    await filterPage.says({ 'list-status': MISSING });
    await filterPage.gives('window.asked', 0);
    await filterPage.upload('list-file', path('list.txt'));
    await filterPage.click('start-to-file');
    await filterPage.textLike('progress-text', /the lines are in text-kept\.txt/);
    const digest = await browser.evaluate<string>(`
      const root = await navigator.storage.getDirectory();
      const file = await (await root.getFileHandle('text-kept.txt')).getFile();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');`);
    same(digest, await expectedOf(world, 'keep'), 'SHA-256 of the file');
  },

  'a saved filter is that of the library, and gives the same lines when it is loaded': async (world) => {
    const { filterPage, path } = world;
    await filterPage.describe({ mode: 'drop', text: path('text.txt'), list: path('list.txt'), errorRate: RARE });
    await filterPage.start();
    const capacity = await filterPage.capacity();
    const filter = new WideBlockedBloomFilter({ capacity, errorRate: RARE });
    filter.addMany(lines(readFileSync(path('list.txt'))));
    same(await filterPage.digestOf('save-filter'), sha256(filter.toBytes()), 'SHA-256 of the filter');
    const left = sha256(filter.omit(lines(readFileSync(path('text.txt')).subarray(MARK_BYTES))).bytes);
    same(await filterPage.digestOf('download'), left, 'SHA-256 of the lines');

    writeFileSync(path('saved.bloom'), filter.toBytes());
    await filterPage.describe({ mode: 'drop', text: path('text.txt'), errorRate: RARE });
    await filterPage.upload('list-filter', path('saved.bloom'));
    await filterPage.says({ 'list-status': `saved.bloom: a wide filter, made for ${count(capacity)} keys` });
    await filterPage.start();
    same(await filterPage.fact('bits'), count(filter.cellCount), 'bits');
    same(await filterPage.fact('hashes'), String(filter.hashes), 'hashes');
    holds(/^\d+(\.\d+)? %$/.test(await filterPage.fact('fill')), 'fill');
    same(await filterPage.digestOf('download'), left, 'SHA-256 of the lines by the loaded filter');
  },
};
