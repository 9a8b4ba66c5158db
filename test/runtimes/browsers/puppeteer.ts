// Browsers that puppeteer drives.

import type { ChildProcess } from 'node:child_process';
import { type Browser, STEP_MS } from './browser.ts';
import { groupOf, temporaryFolder, within } from './processes.ts';

interface Page {
  goto(url: string, options: { timeout: number }): Promise<unknown>;
  $(selector: string): Promise<{ uploadFile(path: string): Promise<void> } | null>;
}
interface Launched {
  process(): ChildProcess;
  version(): Promise<string>;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Options {
  readonly browser: 'chrome' | 'firefox';
  readonly executablePath: string;
  readonly args: readonly string[];
}

/** Not a literal in the import, because the type checker would look for the package, which is installed only here. */
const name = 'puppeteer-core';

export async function launch(options: Options): Promise<Browser> {
  const { launch }: { launch(options: object): Promise<Launched> } = await import(name);
  const profile = temporaryFolder();
  const launched = await launch({
    ...options,
    headless: true,
    userDataDir: profile.path,
    timeout: STEP_MS,
    protocolTimeout: STEP_MS,
  });
  const group = groupOf(launched.process(), options.browser);
  const version = (await launched.version()).replace(/^.*\//, '');
  const page = await launched.newPage();
  return {
    pid: group.pid,
    version,
    async open(url) {
      await page.goto(url, { timeout: STEP_MS });
    },
    async upload(path) {
      const input = await page.$('input[type=file]');
      if (!input) throw new Error('the page has no file input');
      await input.uploadFile(path);
    },
    async close() {
      await within(5000, 'closing', launched.close()).catch(() => {});
      await group.end();
      profile.remove();
    },
  };
}
