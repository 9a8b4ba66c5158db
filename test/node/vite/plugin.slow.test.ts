// The plugin in Vite itself: builds, errors, and what changes while a server runs.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, createServer, type InlineConfig, type Plugin, type Rolldown, type ViteDevServer } from 'vite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { type BloomAssetsOptions, bloomAssets } from '../../../src/entries/vite.ts';
import { BloomFilter } from '../../../src/index.ts';

vi.setConfig({ testTimeout: 60_000 });

let root: string;
const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(root, name), text);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bloomery-vite-')));
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(resolve('.'), join(root, 'node_modules/bloomery'), 'junction');
  write('names.txt', 'ada\ngrace\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function configOf(options?: BloomAssetsOptions): InlineConfig {
  // Checks that the type of the plugin is that of Vite's.
  const plugin: Plugin = bloomAssets(options);
  return { root, configFile: false, logLevel: 'silent', plugins: [plugin] };
}

type File = Rolldown.OutputAsset | Rolldown.OutputChunk;
interface Building {
  readonly options?: BloomAssetsOptions;
  readonly isServer?: boolean;
  readonly external?: RegExp[];
  readonly more?: InlineConfig;
}

async function buildApp(
  app: string,
  { options, isServer = false, external = [/^bloomery/], more }: Building = {},
): Promise<readonly File[]> {
  write('app.js', app);
  const input = join(root, 'app.js');
  const target = isServer ? { ssr: input } : { rolldownOptions: { input, external } };
  const config = { ...configOf(options), ...more, build: { write: false, ...target } };
  return ((await build(config)) as Rolldown.RolldownOutput).output;
}

const assetsOf = (files: readonly File[]): Rolldown.OutputAsset[] => files.filter((file) => file.type === 'asset');
const importOf = (query: string): string => `import load from './names.txt?${query}';\nconsole.log(load);\n`;

describe('a build', () => {
  const base64 = Buffer.from(BinaryFuseFilter.from(['ada', 'grace']).toBytes()).toString('base64');

  it.each([
    ['bloom', BinaryFuseFilter.from(['ada', 'grace'])],
    ['bloom&errorRate=1e-6', BinaryFuseFilter.from(['ada', 'grace'], { errorRate: 1e-6 })],
    ['bloom&errorRate=0.1&kind=classic', BloomFilter.from(['ada', 'grace'], { errorRate: 0.1 })],
  ])('writes the file of the filter: %s', async (query, filter) => {
    const [asset, ...others] = assetsOf(await buildApp(importOf(query)));
    expect(others).toEqual([]);
    expect(asset?.fileName).toMatch(/^assets\/names-[\w-]{8}\.bloom$/);
    expect(Buffer.from(asset?.source as Uint8Array)).toEqual(Buffer.from(filter.toBytes()));
  });

  it('gives the file another name when the list has changed, and only then', async () => {
    const nameNow = async (): Promise<string | undefined> => assetsOf(await buildApp(importOf('bloom')))[0]?.fileName;
    const first = await nameNow();
    write('names.txt', '\ufeffgrace\r\nada');
    expect(await nameNow()).toBe(first);
    write('names.txt', 'ada\nbob\n');
    expect(await nameNow()).not.toBe(first);
  });

  it.each([
    ['of itself', {}],
    ['if it is named there', { worker: { plugins: () => [bloomAssets()] } }],
    ['beside other plugins', { worker: { format: 'es' as const, plugins: () => [{ name: 'other' }] } }],
  ])('makes filters in workers, and in workers of these: %s', async (_, worker) => {
    const start = (name: string): string =>
      `new Worker(new URL('./${name}.js', import.meta.url), { type: 'module' });\n`;
    write('inner.js', importOf('bloom&kind=classic'));
    write('worker.js', importOf('bloom') + start('inner'));
    const output = await buildApp(start('worker'), { external: [], more: worker });
    const lists = assetsOf(output).filter(({ fileName }) => !fileName.endsWith('.js'));
    for (const { fileName } of lists) expect(fileName).toMatch(/^assets\/names-[\w-]{8}\.bloom$/);
    const wanted = [BinaryFuseFilter.from(['ada', 'grace']), BloomFilter.from(['ada', 'grace'])];
    const texts = lists.map(({ source }) => Buffer.from(source).toString('hex'));
    expect(texts.sort()).toEqual(wanted.map((each) => Buffer.from(each.toBytes()).toString('hex')).sort());
  });

  it('imports the class from the engine that is asked for', async () => {
    const text = (await buildApp(importOf('bloom&engine=js&kind=wide'))).map((file) => JSON.stringify(file)).join();
    expect(text).toContain('bloomery/wide/js');
  });

  it.each([
    ['if that is asked for', true, false, true],
    ['for a server', undefined, true, true],
    ['for a server, unless that is refused', false, true, false],
  ])('puts the filter into the code %s', async (_, inline, isServer, isInCode) => {
    const output = await buildApp(importOf('bloom'), { options: { inline }, isServer });
    expect(JSON.stringify(output).includes(base64.slice(0, 100))).toBe(isInCode);
  });

  it('puts the filter into the code of workers, and for what is a server by its environment', async () => {
    const context = { addWatchFile() {}, emitFile: () => 'reference' };
    const server = { ...context, environment: { config: { consumer: 'server' } } };
    const [inWorker] = bloomAssets({ inline: true }).config().worker.plugins();
    const id = join(root, 'names.txt?bloom');
    expect(await inWorker?.load.call(context as never, id)).not.toContain('fetch(');
    expect(await bloomAssets().load.call(server as never, id)).not.toContain('fetch(');
  });

  it('takes the list beside the module that imports it', async () => {
    mkdirSync(join(root, 'inner'));
    write('inner/names.txt', 'bob\n');
    write('inner/module.js', importOf('bloom'));
    const [asset] = assetsOf(await buildApp("import './inner/module.js';"));
    expect(Buffer.from(asset?.source as Uint8Array)).toEqual(Buffer.from(BinaryFuseFilter.from(['bob']).toBytes()));
  });

  it('finds the package from the app if the list lies elsewhere', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'bloomery-list-'));
    writeFileSync(join(elsewhere, 'names.txt'), 'ada');
    const app = `import load from '${elsewhere}/names.txt?bloom';\nexport const answer = (await load()).has('ada');`;
    const output = await buildApp(app, { isServer: true, more: { ssr: { noExternal: true } } });
    rmSync(elsewhere, { recursive: true });
    const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    expect(modules.join()).toContain('dist/kinds/fuse/filter.js');
  });

  it('has the list watched, also one that is wrong, because a change may put it right', async () => {
    const context = { addWatchFile: vi.fn(), emitFile: () => 'reference' };
    const load = bloomAssets().load.bind(context as never);
    await load(join(root, 'names.txt?bloom'));
    expect(context.addWatchFile).toHaveBeenCalledExactlyOnceWith(join(root, 'names.txt'));
    write('wrong.txt', Uint8Array.of(0xff));
    await expect(load(join(root, 'wrong.txt?bloom'))).rejects.toThrow('not UTF-8');
    expect(context.addWatchFile).toHaveBeenLastCalledWith(join(root, 'wrong.txt'));
  });

  it('leaves other imports alone', async () =>
    expect(JSON.stringify(await buildApp(importOf('raw')))).toContain('ada\\\\ngrace'));
});

describe('an error of a build', () => {
  const wrong = "'./names.txt?bloom&kind=fuze'";
  it.each([
    [
      'a kind',
      importOf('bloom&kind=fuze'),
      `app.js:1: ./names.txt?bloom&kind=fuze: kind must be one of "fuse", "classic"`,
    ],
    ['a line further down', `\n\n  import ${wrong};`, 'app.js:3: ./names.txt?bloom&kind=fuze: kind must be'],
    [
      'one that begins as another',
      "import './names.txt?bloom&errorRate=1e-3';\nimport './names.txt?bloom&errorRate=1';",
      'app.js:2: ./names.txt?bloom&errorRate=1: errorRate must be',
    ],
    ['no list', "import './no.txt?bloom';", 'app.js:1: ./no.txt?bloom: there is no such file'],
  ])('names the file and the line of the import: %s', async (_, app, message) => {
    await expect(buildApp(app)).rejects.toThrow(message);
  });

  it('names the file, and no line, if Vite has written the import', async () => {
    const app = "console.log(import.meta.glob('./*.txt', { query: '?bloom&kind=fuze' }));";
    await expect(buildApp(app)).rejects.toThrow('app.js: ./names.txt?bloom&kind=fuze: kind must be');
  });

  it('names the line of the list that is not UTF-8', async () => {
    write('names.txt', Buffer.concat([Buffer.from('ada\ngrace\n'), Buffer.from('José\n', 'latin1')]));
    await expect(buildApp(importOf('bloom'))).rejects.toThrow('names.txt:3: the line is not UTF-8');
  });

  it.each([
    [{ inlined: true }, 'unknown option inlined; the options are inline'],
    [{ inline: 1 }, 'options.inline must be a boolean, got 1'],
  ])('is thrown for wrong options: %j', (options, message) => {
    expect(() => bloomAssets(options as BloomAssetsOptions)).toThrow(new TypeError(message));
  });
});

describe('a server for development', () => {
  let server: ViteDevServer;
  const serve = (options?: BloomAssetsOptions): Promise<ViteDevServer> =>
    createServer({ ...configOf(options), server: { middlewareMode: true, ws: false }, appType: 'custom' });
  const app = `import load from './names.txt?bloom&errorRate=1e-6';\nexport const has = async (name) => (await load()).has(name);\n`;
  const hasNow = async (name: string): Promise<boolean> => {
    const module = await server.ssrLoadModule('/app.js');
    return (module as { has(name: string): Promise<boolean> }).has(name);
  };

  beforeEach(async () => {
    write('app.js', app);
    server = await serve();
  });
  afterEach(() => server.close());

  it('answers from the list, and from the new one after a change', async () => {
    expect([await hasNow('ada'), await hasNow('bob')]).toEqual([true, false]);
    write('names.txt', 'bob\n');
    await vi.waitFor(async () => expect([await hasNow('ada'), await hasNow('bob')]).toEqual([false, true]), 20_000);
  });

  it('has the filter in the code, whatever a build would do', async () => {
    await server.close();
    server = await serve({ inline: false });
    expect(await hasNow('ada')).toBe(true);
  });

  it('names the import in an error, though a browser has asked for the module since', async () => {
    const query = 'bloom&errorRate=1e-12';
    write('app.js', importOf(query));
    write('index.html', '<script type="module" src="/app.js"></script>');
    const { pluginContainer } = server.environments.client;
    const imported = await pluginContainer.resolveId(`./names.txt?${query}`, join(root, 'app.js'));
    // Vite takes a request of a browser for an import by index.html.
    const asked = await pluginContainer.resolveId(`/names.txt?${query}`);
    expect(asked?.id).toBe(imported?.id);
    const message = `app.js:1: ./names.txt?${query}: errorRate must be`;
    await expect(pluginContainer.load(imported?.id ?? '')).rejects.toThrow(message);
  });
});
