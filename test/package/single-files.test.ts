import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { BloomFilter } from '../../src/index.ts';
import { singleFileKinds } from '../../tools/entries.ts';
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

it.each([
  [moduleFile, 37_050],
  [scriptFile, 49_200],
])('%s is a file of less than %i bytes that imports nothing, and names its version', async (file, most) => {
  const text = readFileSync(file, 'utf8');
  expect(text.startsWith(`/*! bloomery ${version} | MIT */\n`)).toBe(true);
  expect(text.match(/\bprocess\b|node:/g)).toBeNull();
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(most);
  const options = { bundle: true, format: 'esm', write: false, metafile: true } as const;
  const { metafile } = await build({ entryPoints: [file], external: ['*'], ...options });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  // `npm run integrity` prints the hashes of these.
  expect(singleFiles).toContain(file);
});

it('the module for pages has all of bloomery, bloomery/load and the entries of single kinds, and works alone', async () => {
  const exported: object = await import(pathToFileURL(moduleFile).href);
  expect(new Set(Object.keys(exported))).toEqual(await namesOf(...filterEntries, 'load'));
  // Errors show the names of classes.
  for (const [name, value] of Object.entries(exported)) if (/^[A-Z]/.test(name)) expect(value.name).toBe(name);
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

describe('the classic script', () => {
  it('defines one global variable, which has all of the module and chooseEngine, and works', async () => {
    const context = bareContext(true);
    expect(Object.keys(context)).toEqual(['TextEncoder', 'TextDecoder', 'bloomery']);
    const names = runInContext('Object.keys(bloomery)', context) as string[];
    expect(new Set(names)).toEqual(await namesOf(...filterEntries, 'load', 'auto'));
    const misnamed = names.filter(
      (name) => /^[A-Z]/.test(name) && runInContext(`bloomery.${name}.name`, context) !== name,
    );
    expect(misnamed).toEqual([]);
    expect(JSON.parse(runInContext(`${use}(bloomery)`, context) as string)).toEqual(answers);
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

it.each(['BloomFilter', 'CuckooFilter'])('where WebAssembly is refused, an error says what to do: %s', (name) => {
  const make = `try { new bloomery.${name}({ capacity: 9 }); } catch (error) { said = String(error); }`;
  const program = `
    WebAssembly.Module = class { constructor() { throw new Error('refused'); } };
    const bloomery = await import('./${moduleFile}');
    let said; ${make} console.log(said);`;
  const options = { encoding: 'utf8' } as const;
  const inModule = execFileSync(process.execPath, ['--input-type=module', '-e', program], options);
  const inScript = runInContext(`let said; ${make} said`, bareContext(false)) as string;
  const advice = [inModule, inScript].map((said) => /^(?:Error: )?WebAssembly is refused here: (.*)$/m.exec(said)?.[1]);
  expect(advice).toEqual(['use chooseEngine() of bloomery.iife.js', 'use bloomery.chooseEngine()']);
});

it('a server of packages sends the classic script for an address without a path', () =>
  expect([unpkg, jsdelivr]).toEqual(Array(2).fill(`./${scriptFile}`)));
