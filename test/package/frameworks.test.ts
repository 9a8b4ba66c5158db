import { execFileSync, spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { engineNames, entryOf, importName, kinds } from '../../tools/entries.ts';
import { install } from '../../tools/install.ts';
import { modules } from '../../tools/manifest.ts';

const folder = 'test/package/frameworks';
const filterEntries = new Set(kinds.flatMap((kind) => engineNames.map((engine) => importName(entryOf(kind, engine)))));

beforeAll(() => install(folder), 300_000);

it('filters work with Vue, React, Immer and Svelte, whose code is that for browsers', () => {
  const args = ['--conditions=browser', '--test-reporter=tap', `${folder}/states.js`];
  const env = { ...process.env, ENTRIES: [...filterEntries].join(' ') };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^# pass 4$/m);
});

it('a filter names its class in minified code', async () => {
  const contents = `
    import { BloomFilter } from './dist/entries/js/index.js';
    class Seen extends BloomFilter {}
    const filter = new Seen({ capacity: 10 });
    report(Object.prototype.toString.call(filter), filter.constructor.name);`;
  const stdin = { contents, resolveDir: '.' };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'iife', write: false });
  let reported: string[] = [];
  new Function('report', outputFiles[0]?.text ?? '')((...names: string[]) => {
    reported = names;
  });
  expect(reported[0]).toBe('[object BloomFilter]');
  expect(reported[1]).not.toBe('Seen');
});

it('a server can import every entry, which then neither makes nor changes anything', () => {
  const program = `
    const names = () => [globalThis, Object, Symbol, Array, Uint8Array, Promise].map((each) => Reflect.ownKeys(each).length);
    const before = names().join();
    const refuse = { get(_, name) { throw new Error('used WebAssembly.' + String(name)); } };
    globalThis.WebAssembly = new Proxy({}, refuse);
    for (const entry of ${JSON.stringify([...modules.keys()].map(importName))}) {
      await import(entry).catch((error) => console.log(entry, error));
      if (names().join() !== before) console.log(entry, 'changes what is global');
    }`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('');
});
