// Compares the site's page that filters a list, in Chromium, with the same work in Node. All npm package names are
// filtered by half of them.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { addLines, omitLines } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { sourceOfNames } from '../examples/names.ts';
import { FilterPage } from '../site/test/filter-page.ts';
import { type NameFiles, writeNames } from '../site/test/name-files.ts';
import { serveSite } from '../site/test/server.ts';
import type { DrivenBrowser } from '../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../test/runtimes/browsers/chromium.ts';
import { sampleMemory, temporaryFolder } from '../test/runtimes/browsers/processes.ts';
import { benchmark, inRounds, type Run, rounds, status } from './shared/cli.ts';
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
async function runInPage(page: FilterPage): Promise<PageRun> {
  const { seconds, gap } = await page.browser.evaluate<{ seconds: number; gap: number }>(`
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
      if (said.startsWith('Failed')) throw new Error(said);
      if (said.startsWith('Done')) return { seconds: (now - begun) / 1000, gap };
    }`);
  return { seconds, gap, capacity: await page.capacity(), digest: await page.digestOf('download') };
}

async function openFilled(browser: DrivenBrowser, url: string, { text, list }: NameFiles): Promise<FilterPage> {
  const page = new FilterPage(browser, url);
  await page.describe({ mode: 'drop', text, list, errorRate: ERROR_RATE });
  return page;
}

/** Runs something in a browser of its own, because it needs more memory than one page has. */
async function inFreshBrowser<T>(run: (browser: DrivenBrowser) => Promise<T>): Promise<T> {
  const browser = await launchChromium();
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

const figures = (spread: Spread): string => `${times(spread.median)} (${extentOf(spread, times)})`;

async function report(rounds: number): Promise<string> {
  const folder = temporaryFolder();
  const server = await serveSite();
  try {
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
  { rounds: rounds(5) },
  ({ rounds }) => report(rounds),
  'Chromium comes from Debian: apt-get install --no-install-recommends chromium',
);
export default run;
