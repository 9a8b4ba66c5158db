import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
afterAll(() => rmSync(folder, { recursive: true }));

const source = `
  import { BloomFilter } from 'bloomery';
  prepare();
  let kept;
  {
    using filter = BloomFilter.from(['ada']);
    if (!filter.has('ada')) throw new Error('it is not in it');
    kept = filter;
  }
  try {
    kept.has('ada');
  } catch (error) {
    report(error.message);
  }`;

/** The program as it is after a compiler has lowered `using`, with bloomery in it. */
const lowered: Record<string, string> = {};
beforeAll(async () => {
  const file = join(folder, 'program.ts');
  writeFileSync(file, `// @ts-nocheck\n${source}`);
  const options = ['--target', 'es2022', '--module', 'esnext', '--outDir', join(folder, 'out'), '--ignoreConfig'];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', file, ...options, '--types', '']);
  const inputs = { TypeScript: readFileSync(join(folder, 'out/program.js'), 'utf8'), esbuild: source };
  for (const [compiler, contents] of Object.entries(inputs)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: '.' },
      alias: { bloomery: resolve('src/index.ts') },
      bundle: true,
      format: 'iife',
      target: 'es2022',
      write: false,
    });
    lowered[compiler] = outputFiles[0]?.text ?? '';
  }
}, 60_000);

/** What stands for `Symbol` in a runtime that lacks `Symbol.dispose`, as WebKit does. */
function bareSymbol(): { dispose?: symbol } {
  const names = Reflect.ownKeys(Symbol).filter((name) => name !== 'dispose') as (keyof typeof Symbol)[];
  const known = names.filter((name) => typeof Symbol[name] === 'symbol').map((name) => [name, Symbol[name]]);
  const make = (description?: string): symbol => Symbol(description);
  return Object.assign(make, Object.fromEntries(known), { for: (key: string) => Symbol.for(key) });
}

/** Runs the program, with a polyfill before bloomery is loaded or after. Returns the error of a filter disposed of. */
function run(compiler: string, when: 'before' | 'after', dispose?: symbol): string | undefined {
  const symbol = bareSymbol();
  const define = (): void => {
    if (dispose) symbol.dispose = dispose;
  };
  if (when === 'before') define();
  let reported: string | undefined;
  const report = (message: string): void => {
    reported = message;
  };
  const prepare = when === 'after' ? define : () => {};
  new Function('Symbol', 'prepare', 'report', lowered[compiler] as string)(symbol, prepare, report);
  return reported;
}

const DISPOSED = 'the filter was used after dispose()';

describe.each(['TypeScript', 'esbuild'])('using, lowered by %s', (compiler) => {
  it.each(['before', 'after'] as const)('works with a symbol of any sort, defined %s bloomery is loaded', (when) => {
    for (const dispose of [Symbol.for('Symbol.dispose'), Symbol('Symbol.dispose')]) {
      expect(run(compiler, when, dispose)).toBe(DISPOSED);
    }
  });
});

it('using, where Symbol.dispose does not exist, needs a polyfill if TypeScript lowered it, not if esbuild did', () => {
  expect(run('esbuild', 'before')).toBe(DISPOSED);
  expect(() => run('TypeScript', 'before')).toThrow('Symbol.dispose is not defined');
});
