// The tables of kinds, entries and tests agree with the code, and the reporter hides nothing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { kindError } from '../../src/format/header.ts';
import { abouts, filterEntries, kinds, otherEntries } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';
import { filesOf, groups } from '../../tools/test-set.ts';
import { everyKind } from '../shared/kinds.ts';
import { importEntry, kindModules } from '../shared/modules.ts';

it.each(kindModules)('has the kind and the number of $name on $engine', ({ module, className, name, engine, id }) => {
  const Filter = module[className] as { readonly kind: string; readonly engine: { readonly name: string } };
  expect([Filter.kind, Filter.engine.name]).toEqual([name, engine]);
  const found = everyKind.find((each) => each.kind === name && each.engine.name === engine);
  expect(found?.Filter.from(['a']).toBytes()[5]).toBe(id);
});

it('has the names by which errors call the kinds of files, each once', () => {
  const ids = Array.from({ length: 256 }, (_, id) => id);
  const named = ids.map((id) => /it is a ([\w-]+) filter/.exec(kindError(id, '').message)?.[1]);
  expect(named).toEqual(ids.map((id) => kinds.find((kind) => kind.id === id)?.name));
  for (const key of ['name', 'className', 'id'] as const) {
    expect(new Set(kinds.map((kind) => kind[key])).size).toBe(kinds.length);
  }
});

it('says of each entry what it is for, and lists modules that exist', async () => {
  expect([...abouts.keys()]).toEqual([...modules.keys()].filter((name) => !/(^|\/)js$/.test(name)));
  expect([...abouts.values()].filter((about) => !/^[A-Z].{10,}\.$/.test(about))).toEqual([]);
  for (const entry of modules.keys()) expect(Object.keys(await importEntry(entry))).not.toEqual([]);
  const twins = otherEntries.filter(({ hasTwin }) => hasTwin);
  expect(modules.size).toBe(2 + 2 * filterEntries.length + otherEntries.length + twins.length);
});

it('has the files that npm test leaves out', () => {
  expect(groups.flatMap(filesOf).filter((file) => !existsSync(file))).toEqual([]);
});

it('counts as failed what a run skips, does not load, or names twice', () => {
  mkdirSync('build', { recursive: true });
  // In the checkout, so that the files find vitest.
  const folder = mkdtempSync('build/reporter-');
  const reporters = [[resolve('tools/reporter.ts'), { leftOut: [{ why: 'are left out', paths: ['a.test.ts'] }] }]];
  const head = "import { beforeAll, describe, it } from 'vitest';\n";
  const files = {
    'vitest.config.js': `export default { test: { reporters: ${JSON.stringify(reporters)} } };`,
    'passes.test.js': `${head}it('passes', () => {}); describe('suite', () => it('passes', () => {}));`,
    'skips.test.js': `${head}it.skip('is skipped', () => {});`,
    'repeats.test.js': `${head}it('twice', () => {}); it('twice', () => {}); describe('suite', () => it('x', () => {}));`,
    'hooks.test.js': `${head}describe('hooked', () => { beforeAll(() => { throw new Error('x'); }); it('x', () => {}); });`,
    'imports.test.js': "import './missing.js';",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const args = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
  const env = { ...process.env, NO_COLOR: '1', CI: 'true' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  expect(status).toBe(1);
  for (const error of [
    "hooks.test.js: CI=true, but 'hooked > x' was skipped",
    "skips.test.js: CI=true, but 'is skipped' was skipped",
    "repeats.test.js: two tests are named 'twice'",
    ".test.js: two suites are named 'suite'",
  ]) {
    expect(stderr).toContain(error);
  }
  // Two that are broken, and the four above.
  expect(stdout).toMatch(/\nLeft out:\n {2}1 files that are left out\n.*\n5 passed, 6 failed, 2 skipped\n$/);
});
