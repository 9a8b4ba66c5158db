// Browsers that puppeteer drives.

import type { ChildProcess } from 'node:child_process';
import { type DrivenBrowser, STEP_MS } from './browser.ts';
import { groupOf, temporaryFolder, within } from './processes.ts';

interface Session {
  send(method: string, parameters: object): Promise<unknown>;
}
interface Page {
  readonly keyboard: Readonly<Record<'press' | 'type' | 'down' | 'up', (text: string) => Promise<void>>>;
  goto(url: string, options: { timeout: number }): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  screenshot(): Promise<Uint8Array>;
  createCDPSession(): Promise<Session>;
  setViewport(size: { width: number; height: number }): Promise<void>;
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
  readonly extraPrefsFirefox?: Readonly<Record<string, unknown>>;
  readonly downloadBehavior?: { readonly policy: 'allow'; readonly downloadPath: string };
}

/** Not a literal in the import, because the type checker would look for the package, which is installed only here. */
const name = 'puppeteer-core';

export async function launch(options: Options): Promise<DrivenBrowser> {
  const { launch }: { launch(options: object): Promise<Launched> } = await import(name);
  const profile = temporaryFolder();
  const timeouts = { timeout: STEP_MS, protocolTimeout: STEP_MS };
  const launched = await launch({ ...options, ...timeouts, headless: true, userDataDir: profile.path });
  const group = groupOf(launched.process(), options.browser);
  const version = (await launched.version()).replace(/^.*\//, '');
  const page = await launched.newPage();
  let session: Session | undefined;
  return {
    pid: group.pid,
    version,
    async open(url) {
      await page.goto(url, { timeout: STEP_MS });
    },
    async upload(path, selector = 'input[type=file]') {
      const input = await page.$(selector);
      if (!input) throw new Error(`the page has no ${selector}`);
      await input.uploadFile(path);
    },
    evaluate: <T>(body: string) => page.evaluate(`(async () => { ${body} })()`) as Promise<T>,
    async press(key, held) {
      if (held) await page.keyboard.down(held);
      await page.keyboard.press(key);
      if (held) await page.keyboard.up(held);
    },
    type: (text) => page.keyboard.type(text),
    resize: (width, height) => page.setViewport({ width, height }),
    screenshot: () => page.screenshot(),
    ...(options.browser === 'chrome' && {
      async emulate(media: 'print' | 'forced colors' | 'dark' | 'none') {
        // The same one each time: what a session has asked for holds until it asks for something else.
        session ??= await page.createCDPSession();
        await session.send('Emulation.setEmulatedMedia', {
          media: media === 'print' ? 'print' : '',
          features: [
            { name: 'forced-colors', value: media === 'forced colors' ? 'active' : '' },
            { name: 'prefers-color-scheme', value: media === 'dark' ? 'dark' : '' },
          ],
        });
      },
    }),
    async close() {
      await within(5000, 'closing', launched.close()).catch(() => {});
      await group.end();
      profile.remove();
    },
  };
}
