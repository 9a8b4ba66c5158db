// Opens pages in a browser, and collects what they report.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../target.ts';
import type { Browser, Launch } from './browser.ts';
import { makeFiles } from './files.ts';
import { type ListFile, writeList } from './list-file.ts';
import type { Page } from './pages.ts';
import { availableMemory, type MemorySampler, sampleMemory, temporaryFolder, within } from './processes.ts';
import { type Answers, serve } from './server.ts';

/** How long a page may take until all its realms have reported. */
const PAGE_MS = 300_000;
/** How long a page that says that it is alive may say nothing. */
const SILENCE_MS = 60_000;
/** How often a page is opened until all its realms report: a browser may crash, as WebKitGTK did (see webkit.ts). */
const ATTEMPTS = 4;

export interface BrowserOptions {
  /** As in `expected.ts`. */
  readonly name: string;
  /** As in `expected.ts`. */
  readonly runtime: string;
  readonly launch: Launch;
  /** Fits the user agent, and finds the version if it is there. */
  readonly agent: RegExp;
  /** The pages to open: each list in a browser of its own. */
  readonly pages: readonly (readonly Page[])[];
  /** The size of many live filters together, in MiB. */
  readonly live: number;
}

/** What a realm reports. */
interface Report {
  readonly realm: string;
  readonly userAgent: string;
  readonly outcomes: readonly Outcome[];
}

/** What came of a page: what its realms reported, and why some have not. */
interface Attempt {
  readonly reported: ReadonlyMap<string, readonly Outcome[]>;
  readonly error?: unknown;
}

let list: ListFile | undefined;

/** The large file, which is written once for all browsers. */
function largeFile(): ListFile {
  list ??= writeList(temporaryFolder().path);
  return list;
}

interface Served {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Where the same files are on the disk. */
  readonly folder: string;
}

async function makeServed(): Promise<Served> {
  const files = await makeFiles();
  const { path: folder } = temporaryFolder();
  for (const [name, contents] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  return { files, folder };
}

let served: Promise<Served> | undefined;

/** The files of the pages, which are made once for all browsers. */
function servedFiles(): Promise<Served> {
  served ??= makeServed();
  return served;
}

/** Fails if a page has left out any of its checks. */
function miscounted({ path, checks }: Page, { length }: readonly Outcome[]): Outcome[] {
  if (checks === undefined || checks === length) return [];
  return [{ name: `${path}: checks`, error: `wanted ${checks}, got ${length}` }];
}

class BrowserRun {
  readonly #options: BrowserOptions;
  readonly #outcomes = new Map<string, Outcome[]>();
  #version = '';
  #browser: Browser | undefined;
  #memory: MemorySampler | undefined;
  #take: (report: Report) => void = () => {};
  /** Takes note that the page is alive. */
  #hear: () => void = () => {};

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  async realms(): Promise<Realm[]> {
    const { files, folder } = await servedFiles();
    const server = await serve(files, this.#answers());
    for (const pages of this.#options.pages) {
      for (const page of pages) {
        const local = `${pathToFileURL(folder)}/${page.path}?server=${server.url}`;
        await this.#visit(page, page.fromDisk ? local : `${server.url}/${page.path}`);
      }
      await this.#close();
    }
    server.close();
    const { runtime } = this.#options;
    return Array.from(this.#outcomes, ([realm, outcomes]) => ({ runtime, version: this.#version, realm, outcomes }));
  }

  #open(): Browser {
    if (this.#browser === undefined) throw new Error('no browser is open');
    return this.#browser;
  }

  async #close(): Promise<void> {
    this.#memory?.stop();
    await this.#browser?.close();
    this.#browser = undefined;
  }

  #answers(): Answers {
    return {
      report: (report) => this.#take(report as Report),
      alive: () => this.#hear(),
      room: () => ({ wanted: this.#options.live, available: availableMemory() }),
      'memory/start': () => {
        this.#memory?.stop();
        this.#memory = sampleMemory(this.#open().pid);
      },
      'memory/peak': () => this.#memory?.peak(),
      upload: async () => {
        const { path, ...known } = largeFile();
        await this.#open().upload(path);
        return known;
      },
    };
  }

  #add(realm: string, outcomes: readonly Outcome[]): void {
    this.#outcomes.set(realm, [...(this.#outcomes.get(realm) ?? []), ...outcomes]);
  }

  /**
   * Opens a page and waits for its realms. If not all report, again in a new browser, because browsers crash. At last,
   * what fails is an outcome of those that have not reported.
   */
  async #visit(page: Page, url: string): Promise<void> {
    let attempt = await this.#attempt(page, url);
    for (let left = ATTEMPTS - 1; attempt.error !== undefined && left > 0; left--) {
      console.log(`${this.#options.runtime}: ${page.path} is opened once more: ${attempt.error}`);
      attempt = await this.#attempt(page, url);
    }
    const { reported, error } = attempt;
    for (const realm of page.realms) {
      const outcomes = reported.get(realm);
      if (outcomes) this.#add(realm, [...outcomes, ...miscounted(page, outcomes)]);
      else this.#add(realm, [{ name: `${page.path} reports`, error: String(error) }]);
    }
  }

  /** Opens a page and waits for its realms. Closes the browser if not all report. */
  async #attempt({ path, realms, smallHeap = false }: Page, url: string): Promise<Attempt> {
    const reported = new Map<string, readonly Outcome[]>();
    let silence: NodeJS.Timeout | undefined;
    try {
      this.#browser ??= await this.#options.launch({ smallHeap });
      const all = new Promise<void>((resolve, reject) => {
        this.#hear = () => {
          clearTimeout(silence);
          silence = setTimeout(() => reject(new Error('the page died')), SILENCE_MS);
        };
        this.#take = ({ realm, userAgent, outcomes }) => {
          if (!realms.includes(realm) || reported.has(realm)) return;
          try {
            this.#checkVersion(userAgent);
          } catch (error) {
            reject(error);
            return;
          }
          reported.set(realm, outcomes);
          if (reported.size === realms.length) resolve();
        };
      });
      await this.#browser.open(url);
      await within(PAGE_MS, path, all);
      return { reported };
    } catch (error) {
      await this.#close();
      return { reported, error };
    } finally {
      clearTimeout(silence);
      this.#hear = () => {};
    }
  }

  /** Sets the version that really ran. */
  #checkVersion(userAgent: string): void {
    const told = this.#options.agent.exec(userAgent);
    if (told === null) throw new Error(`another browser: ${userAgent}`);
    const { version = told[1] ?? '' } = this.#open();
    const { [1]: inAgent = version } = told;
    if (Number.parseInt(inAgent, 10) !== Number.parseInt(version, 10)) throw new Error(`not ${version}: ${userAgent}`);
    this.#version = version;
  }
}

/** A browser as something that the suite starts. */
export function browserTarget(options: BrowserOptions): Target {
  return { name: options.name, run: () => new BrowserRun(options).realms() };
}
