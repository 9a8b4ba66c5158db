// The browsers of the suite: opens pages in each, and collects what they report.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, project } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Target } from '../expected.ts';
import type { Browser, Launch } from './browser.ts';
import { launchChromium } from './chromium.ts';
import { launchChromium114 } from './chromium-114.ts';
import { launchFirefox } from './firefox.ts';
import { type MemorySampler, sampleMemory, temporaryFolder, within } from './processes.ts';
import { serve } from './server.ts';
import { launchWebKit } from './webkit.ts';

/** How long a page may take until all its realms have reported. */
const PAGE_MS = 300_000;
/** How long a page that says that it is alive may say nothing. */
const SILENCE_MS = 60_000;
/** How often a page is opened until all its realms report: a browser may crash, as WebKitGTK did (see webkit.ts). */
const ATTEMPTS = 4;

interface Page {
  readonly path: string;
  /** Default: the page alone. */
  readonly realms?: readonly string[];
  /** How many checks each of them must report; undefined if those of Node 20 tell. */
  readonly checks?: number;
  /** Whether a browser that starts with this page gets the option of this name. */
  readonly smallHeap?: boolean;
  /** Whether it is opened from a disk, without a server. */
  readonly fromDisk?: boolean;
}

interface Report {
  readonly realm: string;
  readonly userAgent: string;
  readonly outcomes: readonly Outcome[];
}

const pages = fileURLToPath(new URL('pages', import.meta.url));
const example = fileURLToPath(new URL('../../../examples/large-list', import.meta.url));

const ONE_FILE = '<!doctype html><script src="bloomery.iife.js"></script><script src="one-file-classic.js"></script>';

/** Bundles each module of `pages/`, some as classic scripts too, and adds what needs no bundler. Writes all to a folder. */
async function makeFiles(): Promise<{ files: ReadonlyMap<string, string | Uint8Array>; folder: string }> {
  const files = new Map<string, string | Uint8Array>([['one-file.html', ONE_FILE]]);
  const put = async (name: string, entry: string, format: 'esm' | 'iife' = 'esm'): Promise<void> => {
    files.set(name, readFileSync(await bundle({ entry, format })));
  };
  for (const name of readdirSync(pages)) await put(name.replace('.ts', '.js'), join(pages, name));
  for (const name of ['worker', 'one-file']) await put(`${name}-classic.js`, join(pages, `${name}.ts`), 'iife');
  for (const name of ['page.js', 'worker.js']) await put(`large-list/${name}`, join(example, name));
  files.set('large-list/index.html', readFileSync(join(example, 'index.html')));
  const dist = join(project(), 'node_modules/bloomery/dist');
  for (const name of readdirSync(dist)) {
    if (/^bloomery\..*js$/.test(name)) files.set(name, readFileSync(join(dist, name)));
  }
  const { path: folder } = temporaryFolder();
  for (const [name, contents] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents);
  }
  return { files, folder };
}

let made: ReturnType<typeof makeFiles> | undefined;

/**
 * @param agent fits the user agent, and finds the version if it is there
 * @param lists the pages to open: each list in a browser of its own
 */
function browserTarget(launch: Launch, agent: RegExp, lists: readonly (readonly Page[])[]): Target {
  return async () => {
    made ??= makeFiles();
    const { files, folder } = await made;
    const collected = new Map<string, Outcome[]>();
    let version = '';
    let browser: Browser | undefined;
    let memory: MemorySampler | undefined;
    let take: (report: Report) => void = () => {};
    let hear: () => void = () => {};
    const server = await serve(files, {
      report: (report) => take(report as Report),
      alive: () => hear(),
      'memory/start': () => {
        memory = sampleMemory((browser as Browser).pid);
      },
      'memory/peak': () => memory?.peak(),
    });

    async function close(): Promise<void> {
      memory?.stop();
      await browser?.close();
      browser = undefined;
    }

    /** Opens a page, and takes what its realms report. Closes the browser and rejects if not all do. */
    async function attempt(page: Page, reported: Map<string, readonly Outcome[]>): Promise<void> {
      const { path, realms = ['page'], smallHeap = false, fromDisk = false } = page;
      let silence: NodeJS.Timeout | undefined;
      try {
        browser ??= await launch({ smallHeap });
        const { version: known } = browser;
        const all = new Promise<void>((resolve, reject) => {
          hear = () => {
            clearTimeout(silence);
            silence = setTimeout(() => reject(new Error('the page died')), SILENCE_MS);
          };
          take = ({ realm, userAgent, outcomes }) => {
            const told = agent.exec(userAgent);
            if (told === null) reject(new Error(`another browser: ${userAgent}`));
            version = known ?? told?.[1] ?? '';
            if (realms.includes(realm)) reported.set(realm, outcomes);
            if (reported.size === realms.length) resolve();
          };
        });
        const local = `${pathToFileURL(folder)}/${path}?server=${server.url}`;
        await browser.open(fromDisk ? local : `${server.url}/${path}`);
        await within(PAGE_MS, path, all);
      } catch (error) {
        await close();
        throw error;
      } finally {
        hear = () => {};
        clearTimeout(silence);
      }
    }

    /** If not all realms report, opens a page again in a new browser. At last, what fails is an outcome of those left. */
    async function visit(page: Page): Promise<void> {
      const { path, realms = ['page'], checks } = page;
      let reported = new Map<string, readonly Outcome[]>();
      let failure: unknown;
      for (let left = ATTEMPTS; left > 0 && reported.size < realms.length; left--) {
        reported = new Map();
        await attempt(page, reported).catch((error: unknown) => {
          failure = error;
          console.log(`${agent}, ${path}: ${error}`);
        });
      }
      for (const realm of realms) {
        const outcomes = [...(reported.get(realm) ?? [{ name: `${path} reports`, error: String(failure) }])];
        const { length } = outcomes;
        if (length !== (checks ?? length)) {
          outcomes.push({ name: `${path}: checks`, error: `wanted ${checks}, got ${length}` });
        }
        collected.set(realm, [...(collected.get(realm) ?? []), ...outcomes]);
      }
    }

    for (const list of lists) {
      for (const page of list) await visit(page);
      await close();
    }
    server.close();
    return Array.from(collected, ([realm, outcomes]) => ({ realm, version, outcomes }));
  };
}

const conformance: Page = {
  path: 'conformance.html',
  realms: ['page', 'Worker', 'classic Worker', 'ServiceWorker'],
  smallHeap: true,
};

/** Each list is opened page by page in a browser of its own: what uses much memory begins with a fresh one. */
const everyPage: readonly (readonly Page[])[] = [
  [
    conformance,
    { path: 'csp.html?csp=strict', realms: ['page', 'Worker'], checks: 3 },
    { path: 'csp.html?csp=wasm', realms: ['page', 'Worker'], checks: 2 },
    { path: 'threads.html?isolated', checks: 2 },
    { path: 'threads.html', checks: 1 },
    { path: 'one-file.html', checks: 2 },
    { path: 'one-file.html', checks: 1, fromDisk: true },
  ],
  [{ path: 'large-list.html', checks: 1 }],
  [{ path: 'dropped.html', checks: 3 }],
];

const chromium = /Chrome\/([\d.]+)/;

export const browsers: Readonly<Record<string, Target>> = {
  chromium: browserTarget(launchChromium, chromium, everyPage),
  // Only its limits matter.
  chromium114: browserTarget(launchChromium114, chromium, [[conformance]]),
  firefox: browserTarget(launchFirefox, /Firefox\/([\d.]+)/, everyPage),
  webkit: browserTarget(launchWebKit, /^(?!.*Chrome).*AppleWebKit/, everyPage),
};
