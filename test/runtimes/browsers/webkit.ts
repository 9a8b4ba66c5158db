import { freePort } from '../../shared/free-port.ts';
import { type Key, type LaunchDriven, STEP_MS } from './browser.ts';
import { sleep, startGroup } from './processes.ts';

/**
 * The size of the machine's memory, in bytes, that WebKit is made to assume, so that its heap stays small. Otherwise, two
 * realms of the conformance program grow to 2 or 3 GB. When that is collected, WebKitGTK 2.50 gives free pages back here
 * and there, which makes a mapping of each. At the 65,530 mappings that Linux allows a process by default, it crashes, or
 * tries for ever: https://bugs.webkit.org/show_bug.cgi?id=319025. With a small heap, it has 10,000 at most.
 */
const SMALL_MEMORY = 2 ** 29;

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** Where the WebDriver protocol has the keys that have no character. */
const keys: Readonly<Record<Key, string>> = {
  Tab: '\ue004',
  Enter: '\ue007',
  Escape: '\ue00c',
  ' ': ' ',
  k: 'k',
  ArrowDown: '\ue015',
};
const CONTROL = '\ue009';

/** Runs the body of an async function, and calls back with its value or its error. */
function scriptOf(body: string): string {
  return `const done = arguments[arguments.length - 1];
    (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
}

export const launchWebKit: LaunchDriven = async ({ dark = false, smallHeap = false } = {}) => {
  const port = await freePort();
  const command = ['WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'];
  const variables = [
    // Without a locale, the language of pages would be 'C', which Intl refuses.
    'LANG=en_US.UTF-8',
    // An isolated page gets no process of its own when a program drives the browser, and without one, WebKit sends no
    // shared memory to Workers.
    'JSC_useSharedArrayBuffer=1',
    ...(smallHeap ? [`JSC_forceRAMSize=${SMALL_MEMORY}`] : []),
    ...(dark ? ['GTK_THEME=Adwaita:dark'] : []),
  ];
  const driver = startGroup('xvfb-run', ['-a', 'env', ...variables, ...command]);

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(STEP_MS),
    });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}, ${value.message}`);
    return value;
  }

  async function start(): Promise<{ session: string; version: string }> {
    const isReady = (): Promise<unknown> => call('GET', '/status').catch(() => undefined);
    for (let left = STEP_MS / 100; !(await isReady()); left--) {
      if (left <= 0) throw new Error('WebKitWebDriver does not answer');
      await sleep(100);
    }
    const wanted = {
      browserName: 'MiniBrowser',
      timeouts: { pageLoad: STEP_MS },
      'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] },
    };
    type Session = { sessionId: string; capabilities: { browserVersion: string } };
    const begun = await call<Session>('POST', '/session', { capabilities: { alwaysMatch: wanted } });
    return { session: `/session/${begun.sessionId}`, version: begun.capabilities.browserVersion };
  }

  async function typeKeys(text: readonly string[], held?: string): Promise<void> {
    const pressed = text.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    const actions = held ? [{ type: 'keyDown', value: held }, ...pressed, { type: 'keyUp', value: held }] : pressed;
    await call('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  const { session, version } = await start().catch(async (error: unknown) => {
    await driver.end();
    throw error;
  });
  return {
    pid: driver.pid,
    version,
    async open(url) {
      await call('POST', `${session}/url`, { url });
    },
    async upload(path, value = 'input[type=file]') {
      const selector = { using: 'css selector', value };
      const [element] = Object.values(await call<Record<string, string>>('POST', `${session}/element`, selector));
      await call('POST', `${session}/element/${element}/value`, { text: path });
    },
    async evaluate<T>(body: string) {
      const script = { script: scriptOf(body), args: [] };
      const { value, error } = await call<{ value: T; error?: string }>('POST', `${session}/execute/async`, script);
      if (error !== undefined) throw new Error(error);
      return value;
    },
    press: (key, held) => typeKeys([keys[key]], held && CONTROL),
    type: (text) => typeKeys([...text]),
    async resize(width, height) {
      await call('POST', `${session}/window/rect`, { width, height });
    },
    screenshot: async () => Buffer.from(await call<string>('GET', `${session}/screenshot`), 'base64'),
    async close() {
      await call('DELETE', session).catch(() => {});
      await driver.end();
    },
  };
};
