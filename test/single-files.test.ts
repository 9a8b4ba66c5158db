import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as auto from '../src/entries/auto.ts';
import * as cuckoo from '../src/entries/cuckoo.ts';
import * as fuse from '../src/entries/fuse.ts';
import * as load from '../src/entries/load.ts';
import * as rotating from '../src/entries/rotating.ts';
import * as scalable from '../src/entries/scalable.ts';
import * as wide from '../src/entries/wide.ts';
import * as main from '../src/index.ts';
import { singleFiles } from '../tools/single-files.ts';

const moduleFile = 'dist/bloomery.min.js';
const scriptFile = 'dist/bloomery.iife.js';
const { version, unpkg, jsdelivr } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;

/** A function that uses every kind and `loadAny`, and returns what they answer as JSON. */
const use = `((bloomery) => {
  const { loadAny, chooseEngine, ...others } = bloomery;
  const classes = Object.values(others).filter((value) => typeof value === 'function' && 'fromBytes' in value);
  const filters = classes.map((Filter) => loadAny(classes, Filter.from(['ada', 7], { errorRate: 1e-3 }).toBytes()));
  return JSON.stringify(filters.map((filter) => [filter.kind, filter.engine, filter.omit(['ada', 'bob'])]).sort());
})`;
const kinds = ['blocked', 'classic', 'counting', 'cuckoo', 'fuse', 'rotating', 'scalable', 'wide'];
const answers = kinds.map((kind) => [kind, 'wasm', ['bob']]);

/** Runs the script where there is nothing but JavaScript, two globals and, unless it is refused, WebAssembly. */
function bareContext(wasm: boolean): object {
  const context = createContext({ TextEncoder, TextDecoder }, { codeGeneration: { strings: false, wasm } });
  runInContext(readFileSync(scriptFile, 'utf8'), context);
  return context;
}

describe.each([moduleFile, scriptFile])('%s', (file) => {
  it('begins with the name, the version and the license', () => {
    expect(readFileSync(file, 'utf8').startsWith(`/*! bloomery ${version} | MIT */\n`)).toBe(true);
  });

  it('imports nothing', async () => {
    const { metafile } = await build({
      entryPoints: [file],
      bundle: true,
      external: ['*'],
      format: 'esm',
      write: false,
      metafile: true,
    });
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it('has nothing of Node', () => {
    expect(readFileSync(file, 'utf8').match(/\bprocess\b|node:/g)).toBeNull();
  });

  it('is one that npm run integrity prints the hash of', () => {
    expect(singleFiles).toContain(file);
  });
});

describe('the module for pages', () => {
  it('weighs less than 33.5 KB', () => {
    expect(gzipSync(readFileSync(moduleFile), { level: 9 }).length).toBeLessThan(33_500);
  });

  it('has all of bloomery, bloomery/load and the entries of single kinds', async () => {
    const exported: object = await import(pathToFileURL(moduleFile).href);
    expect(new Set(Object.keys(exported))).toEqual(
      new Set(Object.keys({ ...main, ...cuckoo, ...wide, ...fuse, ...rotating, ...scalable, ...load })),
    );
  });

  it('works alone in a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bloomery-single-'));
    try {
      copyFileSync(moduleFile, join(folder, 'bloomery.min.mjs'));
      const program = `console.log(${use}(await import('./bloomery.min.mjs')))`;
      const args = ['--input-type=module', '-e', program];
      expect(JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }))).toEqual(answers);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the classic script', () => {
  it('weighs less than 48 KB', () => {
    expect(gzipSync(readFileSync(scriptFile), { level: 9 }).length).toBeLessThan(48_000);
  });

  it('defines one global variable, which has all of the module and chooseEngine', () => {
    const context = bareContext(true);
    expect(Object.keys(context)).toEqual(['TextEncoder', 'TextDecoder', 'bloomery']);
    const names = runInContext('Object.keys(bloomery)', context) as string[];
    expect(new Set(names)).toEqual(
      new Set(Object.keys({ ...main, ...cuckoo, ...wide, ...fuse, ...rotating, ...scalable, ...load, ...auto })),
    );
  });

  it('works as a classic script', () => {
    expect(JSON.parse(runInContext(`${use}(bloomery)`, bareContext(true)) as string)).toEqual(answers);
  });

  it.each([
    ['wasm', 'runs', true],
    ['js', 'is refused', false],
  ])('chooses the engine %s where WebAssembly %s', async (engine, _, wasm) => {
    const program = "bloomery.chooseEngine().then(({ BloomFilter }) => BloomFilter.from(['ada']))";
    const filter = (await runInContext(program, bareContext(wasm))) as main.BloomFilter;
    expect([filter.engine, filter.has('ada'), filter.has('bob')]).toEqual([engine, true, false]);
  });
});

describe('a server of packages', () => {
  it('sends the classic script for an address without a path', () => {
    expect([unpkg, jsdelivr]).toEqual(Array(2).fill(`./${scriptFile}`));
  });

  it.each(['README.md', 'docs/browsers.md'])('has the files of this version that are named in %s', (document) => {
    const named = [...readFileSync(document, 'utf8').matchAll(/https:[^'`\s]*\/bloomery@([\d.]+)([^'`\s]*)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, wanted, path] of named) expect([wanted, existsSync(`.${path}`)]).toEqual([version, true]);
  });
});
