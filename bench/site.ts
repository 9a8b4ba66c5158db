// Compares the site's page that filters a list, in Chromium, with the same work in Node. All npm package names are
// filtered by half of them.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { addLines, omitLines } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { sourceOfNames } from '../examples/names.ts';
import { FilterPage } from '../site/test/filter-page.ts';
import { type NameFiles, writeNames } from '../site/test/name-files.ts';
import { serveSite } from '../site/test/server.ts';
import type { DrivenBrowser, LaunchDriven } from '../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../test/runtimes/browsers/chromium.ts';
import { sampleMemory, sleep, temporaryFolder } from '../test/runtimes/browsers/processes.ts';
import { launchers } from './shared/browsers.ts';
import { benchmark, flag, inRounds, type Run, rounds, status } from './shared/cli.ts';
import { extentOf, integer, ratioOf, type Spread, spreadOf, tableOf, times } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';

const ERROR_RATE = 1e-6;

/** The time and the result of a run. */
interface Filtering {
  readonly seconds: number;
  readonly digest: string;
}

/** The code of docs/streams.md, with the kind that the page uses. The result is collected, as in the page. */
async function runInNode({ text, list }: NameFiles, capacity: number): Promise<Filtering> {
  const begun = performance.now();
  const filter = new WideBlockedBloomFilter({ capacity, errorRate: ERROR_RATE });
  await addLines(filter, createReadStream(list));
  const parts: Uint8Array[] = [];
  await (Readable.toWeb(createReadStream(text)) as ReadableStream<Uint8Array>)
    .pipeThrough(omitLines(filter, { onProgress() {} }))
    .pipeTo(new WritableStream({ write: (part) => void parts.push(part) }));
  const blob = new Blob(parts as BlobPart[]);
  const seconds = (performance.now() - begun) / 1000;
  filter.dispose();
  const digest = createHash('sha256')
    .update(new Uint8Array(await blob.arrayBuffer()))
    .digest('hex');
  return { seconds, digest };
}

interface PageRun extends Filtering {
  /** The longest time between two frames, in milliseconds. */
  readonly gap: number;
  readonly capacity: number;
}

/** Presses the button in the page, and measures in the page until it is done. */
async function timed({ browser }: FilterPage): Promise<Omit<Memory, 'mebibytes'>> {
  await browser.evaluate(`
    const watch = async () => {
      const begun = performance.now();
      let last = begun;
      let gap = 0;
      document.getElementById('start').click();
      for (;;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        gap = Math.max(gap, now - last);
        last = now;
        const said = document.getElementById('progress-text').textContent;
        if (/^(Done|Failed)/.test(said)) return { said, seconds: (now - begun) / 1000, gap };
      }
    };
    window.timed = undefined;
    watch().then((timed) => Object.assign(window, { timed }));`);
  // Asked again and again, because a driver waits only half a minute for an answer.
  for (;;) {
    const timed = await browser.evaluate<(Omit<Memory, 'mebibytes'> & { said: string }) | null>(
      'return window.timed ?? null',
    );
    if (timed?.said.startsWith('Failed')) throw new Error(timed.said);
    if (timed) return { seconds: timed.seconds, gap: timed.gap };
    await sleep(200);
  }
}

async function runInPage(page: FilterPage): Promise<PageRun> {
  return { ...(await timed(page)), capacity: await page.capacity(), digest: await page.digestOf('download') };
}

async function openFilled(browser: DrivenBrowser, url: string, { text, list }: NameFiles): Promise<FilterPage> {
  const page = new FilterPage(browser, url);
  await page.describe({ mode: 'drop', text, list, errorRate: ERROR_RATE });
  return page;
}

/** Runs something in a browser of its own, because it needs more memory than one page has. */
async function inFreshBrowser<T>(
  run: (browser: DrivenBrowser) => Promise<T>,
  launch: LaunchDriven = launchChromium,
): Promise<T> {
  const browser = await launch();
  try {
    return await run(browser);
  } finally {
    await browser.close();
  }
}

interface Memory {
  readonly mebibytes: number;
  readonly seconds: number;
  readonly gap: number;
}

async function withMemory(browser: DrivenBrowser, run: () => Promise<Omit<Memory, 'mebibytes'>>): Promise<Memory> {
  const sampler = sampleMemory(browser.pid);
  const { seconds, gap } = await run();
  const mebibytes = sampler.peak();
  sampler.stop();
  return { seconds, gap, mebibytes };
}

function memoryOfPage(url: string, files: NameFiles): Promise<Memory> {
  return inFreshBrowser(async (browser) => {
    const page = await openFilled(browser, url, files);
    return withMemory(browser, () => runInPage(page));
  });
}

/** The same filtering in a page, with strings and a Set. */
function memoryOfSet(url: string, { text, list }: NameFiles): Promise<Memory> {
  return inFreshBrowser(async (browser) => {
    const page = new FilterPage(browser, url);
    await page.open();
    await browser.evaluate(`
      for (const id of ['set-text', 'set-list']) {
        const input = document.createElement('input');
        Object.assign(input, { type: 'file', id });
        document.body.append(input);
      }`);
    await browser.upload(text, '#set-text');
    await browser.upload(list, '#set-list');
    return withMemory(browser, () =>
      browser.evaluate(`
        const file = (id) => document.getElementById(id).files[0].text();
        const begun = performance.now();
        let last = begun;
        let gap = 0;
        let isDone = false;
        const watch = () => {
          const now = performance.now();
          gap = Math.max(gap, now - last);
          last = now;
          if (!isDone) requestAnimationFrame(watch);
        };
        requestAnimationFrame(watch);
        const set = new Set((await file('set-list')).split('\\n'));
        const kept = (await file('set-text')).split('\\n').filter((line) => !set.has(line));
        window.result = new Blob([kept.join('\\n')]);
        const seconds = (performance.now() - begun) / 1000;
        watch();
        isDone = true;
        return { seconds, gap };`),
    );
  });
}

/** The records of the large file: 1 GB of them, of which every other one has an address that came before. */
const RECORDS = 19_000_000;

/** Writes a CSV with quoted newlines. Returns its size in bytes. */
function writeLarge(path: string): number {
  const file = openSync(path, 'w');
  let bytes = writeSync(file, 'id,name,email,city\n');
  for (let at = 0; at < RECORDS; at += 1000) {
    const record = (_: unknown, i: number): string => {
      const user = Math.imul((at + i) % (RECORDS / 2), 0x9e3779b1) >>> 0;
      return `${at + i},"Hopper, Grace",${user.toString(36)}@example.com,${i % 8 === 0 ? '"New\nYork"' : 'Reykjavik'}\n`;
    };
    bytes += writeSync(file, Array.from({ length: 1000 }, record).join(''));
  }
  closeSync(file);
  return bytes;
}

/** A file of 1 GB, each address of which is kept once, exactly. */
async function reportLarge(url: string, folder: string): Promise<string> {
  status('writing 1 GB …');
  const path = join(folder, 'large.csv');
  const size = writeLarge(path);
  const rows: string[][] = [];
  for (const [name, launch] of Object.entries(launchers)) {
    status(`1 GB in ${name} …`);
    const [{ mebibytes, seconds, gap }, said] = await inFreshBrowser(async (browser) => {
      const page = new FilterPage(browser, url);
      await page.describe({ mode: 'once', text: path, errorRate: 0 });
      await page.tick('text', 'email');
      const memory = await withMemory(browser, () => timed(page));
      return [memory, await page.text('progress-text')] as const;
    }, launch);
    if (!said.includes(integer.format(RECORDS / 2))) throw new Error(`${name} says: ${said}`);
    rows.push([name, `+${mebibytes.toFixed(0)}`, times(seconds), gap.toFixed(0)]);
  }
  return [
    `A CSV of ${(size / 1e9).toFixed(2)} GB, ${integer.format(RECORDS)} records, each address once, exactly:`,
    tableOf(['one run in a fresh browser', 'memory of all processes, MiB', 'seconds', 'longest frame gap, ms'], rows),
  ].join('\n\n');
}

const figures = (spread: Spread): string => `${times(spread.median)} (${extentOf(spread, times)})`;

async function report(rounds: number, isLarge: boolean): Promise<string> {
  const folder = temporaryFolder();
  const server = await serveSite();
  try {
    if (isLarge)
      return ['# bloomery: the site', describeMachine(), await reportLarge(server.url, folder.path)].join('\n\n');
    status('writing the names …');
    const files = writeNames(folder.path);
    const inPage: PageRun[] = [];
    const inNode: Filtering[] = [];
    await inFreshBrowser(async (browser) => {
      for (const round of inRounds('the page and Node', rounds)) {
        const page = await runInPage(await openFilled(browser, server.url, files));
        const node = await runInNode(files, page.capacity);
        if (page.digest !== node.digest) throw new Error('the page and Node gave different lines');
        if (round === 0) continue;
        inPage.push(page);
        inNode.push(node);
      }
    });
    status('memory …');
    const filter = await memoryOfPage(server.url, files);
    const set = await memoryOfSet(server.url, files);
    const seconds = (runs: readonly Filtering[]): number[] => runs.map((run) => run.seconds);
    return [
      '# bloomery: the site',
      describeMachine(),
      `${integer.format(files.lines)} names (${sourceOfNames()}, ${(files.bytes / 1e6).toFixed(1)} MB) are filtered by ` +
        `half of them, error rate ${ERROR_RATE}; ${rounds} rounds, in turns. The page's time goes from the press of ` +
        'its button to its last word, the start of its Worker included. Both gave the same lines.',
      tableOf(
        ['', 'median (range)', 'limit'],
        [
          ['Node, s', figures(spreadOf(seconds(inNode))), ''],
          ['Chromium, s', figures(spreadOf(seconds(inPage))), ''],
          ['Chromium / Node', figures(ratioOf(seconds(inNode), seconds(inPage))), '1.5'],
          ['longest frame gap, ms', figures(spreadOf(inPage.map(({ gap }) => gap))), '100'],
        ],
      ),
      tableOf(
        ['one run in a fresh Chromium', 'memory of all processes, MiB', 'seconds', 'longest frame gap, ms'],
        [
          ['the site', `+${filter.mebibytes.toFixed(0)}`, times(filter.seconds), filter.gap.toFixed(0)],
          ['split and Set', `+${set.mebibytes.toFixed(0)}`, times(set.seconds), set.gap.toFixed(0)],
        ],
      ),
    ].join('\n\n');
  } finally {
    server.close();
    folder.remove();
  }
}

const run: Run = benchmark(
  { rounds: rounds(5), large: flag('only a CSV of 1 GB, in three browsers') },
  ({ rounds, large }) => report(rounds, large),
  'Chromium comes from Debian: apt-get install --no-install-recommends chromium',
);
export default run;
