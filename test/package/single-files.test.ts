import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { BloomFilter } from '../../src/index.ts';
import { singleFileKinds } from '../../tools/entries.ts';
import { sectionsOf, thisPackage } from '../../tools/package-name.ts';
import { singleFiles } from '../../tools/single-files.ts';
import { importEntry } from '../shared/modules.ts';

const moduleFile = 'dist/bloomery.min.js';
const scriptFile = 'dist/bloomery.iife.js';
const { version, unpkg, jsdelivr } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;

/** A function that uses every kind in the file and `loadAny`, and returns what they answer as JSON. */
const use = `((bloomery) => {
  const { loadAny, chooseEngine, ...others } = bloomery;
  const classes = Object.values(others).filter((value) => typeof value === 'function' && 'fromBytes' in value);
  const from = (Filter) => Filter.from(['ada', 7], { errorRate: 1e-3 });
  // A class without this method makes filters around others.
  const make = (Filter) => 'from' in Filter ? from(Filter) : new Filter(from(others.BloomFilter));
  const filters = classes.map((Filter) => loadAny(classes, make(Filter).toBytes()));
  return JSON.stringify(filters.map((filter) => [filter.kind, filter.engine, filter.omit(['ada', 'bob'])]).sort());
})`;
const answers = singleFileKinds.map(({ name }) => [name, 'wasm', ['bob']]).sort();

/** The names of all that these entries export. */
async function namesOf(...entries: readonly string[]): Promise<Set<string>> {
  const exported = await Promise.all(entries.map(importEntry));
  return new Set(exported.flatMap((each) => Object.keys(each)));
}

const filterEntries = ['', ...singleFileKinds.flatMap(({ name, isMain }) => (isMain ? [] : [name]))];

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
  it('weighs less than 37 KB', () => {
    expect(gzipSync(readFileSync(moduleFile), { level: 9 }).length).toBeLessThan(37_000);
  });

  it('has all of bloomery, bloomery/load and the entries of single kinds', async () => {
    const exported: object = await import(pathToFileURL(moduleFile).href);
    expect(new Set(Object.keys(exported))).toEqual(await namesOf(...filterEntries, 'load'));
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
  it('weighs less than 51 KB', () => {
    expect(gzipSync(readFileSync(scriptFile), { level: 9 }).length).toBeLessThan(51_000);
  });

  it('defines one global variable, which has all of the module and chooseEngine', async () => {
    const context = bareContext(true);
    expect(Object.keys(context)).toEqual(['TextEncoder', 'TextDecoder', 'bloomery']);
    const names = runInContext('Object.keys(bloomery)', context) as string[];
    expect(new Set(names)).toEqual(await namesOf(...filterEntries, 'load', 'auto'));
  });

  it('works as a classic script', () => {
    expect(JSON.parse(runInContext(`${use}(bloomery)`, bareContext(true)) as string)).toEqual(answers);
  });

  it.each([
    ['wasm', 'runs', true],
    ['js', 'is refused', false],
  ])('chooses the engine %s where WebAssembly %s', async (engine, _, wasm) => {
    const program = "bloomery.chooseEngine().then(({ BloomFilter }) => BloomFilter.from(['ada']))";
    const filter = (await runInContext(program, bareContext(wasm))) as BloomFilter;
    expect([filter.engine, filter.has('ada'), filter.has('bob')]).toEqual([engine, true, false]);
  });
});

describe('where WebAssembly is refused, the error says what a page without a bundler can do:', () => {
  const refused = /^(?:Error: )?WebAssembly is refused here: (.*)$/m;
  const makes = ['BloomFilter', 'CuckooFilter'].map((name) => `() => new bloomery.${name}({ capacity: 9 })`);

  it.each(makes)('in the module, %s', (make) => {
    const program = `
      WebAssembly.Module = class { constructor() { throw new Error('refused'); } };
      const bloomery = await import('./${moduleFile}');
      try { (${make})(); } catch (error) { console.log(String(error)); }`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const [, advice] = refused.exec(said) ?? [];
    expect(advice).toBe('use chooseEngine() of bloomery.iife.js');
  });

  it.each(makes)('in the script, %s', (make) => {
    const program = `try { (${make})(); } catch (error) { String(error); }`;
    const [, advice] = refused.exec(runInContext(program, bareContext(false)) as string) ?? [];
    expect(advice).toBe('use bloomery.chooseEngine()');
  });
});

describe('a server of packages', () => {
  it('sends the classic script for an address without a path', () => {
    expect([unpkg, jsdelivr]).toEqual(Array(2).fill(`./${scriptFile}`));
  });

  it('has the files that the documents name once there is a release', () => {
    const { name } = thisPackage;
    const texts = sectionsOf({ ...thisPackage, published: true }).map(({ text }) => text);
    const named = [...texts.join('\n').matchAll(/https:[^'`\s]*?\/([\w@/-]+)@([\d.]+)([^'`\s]*)/g)];
    expect(named).toHaveLength(4);
    for (const [, given = '', wanted, path] of named) {
      expect([given.replace('npm/', ''), wanted, existsSync(`.${path}`)]).toEqual([name, version, true]);
    }
  });
});
