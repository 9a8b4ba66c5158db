import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

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

/** The program as it is after esbuild has lowered `using`, with bloomery in it. */
const { outputFiles } = await build({
  stdin: { contents: source, resolveDir: '.' },
  alias: { bloomery: resolve('src/index.ts') },
  bundle: true,
  format: 'iife',
  target: 'es2022',
  write: false,
});
const lowered = outputFiles[0]?.text ?? '';

/** What stands for `Symbol` in a runtime that lacks `Symbol.dispose`, as WebKit does. */
function bareSymbol(): { dispose?: symbol } {
  const names = Reflect.ownKeys(Symbol).filter((name) => name !== 'dispose') as (keyof typeof Symbol)[];
  const known = names.filter((name) => typeof Symbol[name] === 'symbol').map((name) => [name, Symbol[name]]);
  const make = (description?: string): symbol => Symbol(description);
  return Object.assign(make, Object.fromEntries(known), { for: (key: string) => Symbol.for(key) });
}

/** Runs the program, with a polyfill before bloomery is loaded or after. Returns the error of a filter disposed of. */
function run(when: 'before' | 'after', dispose?: symbol): string | undefined {
  const symbol = bareSymbol();
  const define = (): void => {
    if (dispose) symbol.dispose = dispose;
  };
  if (when === 'before') define();
  let reported: string | undefined;
  const report = (message: string): void => {
    reported = message;
  };
  new Function('Symbol', 'prepare', 'report', lowered)(symbol, define, report);
  return reported;
}

it.each(['before', 'after'] as const)(
  'using works with a symbol of any sort, defined %s bloomery is loaded',
  (when) => {
    // The last one where there is none, in whose place esbuild has one of the registry.
    for (const dispose of [Symbol.for('Symbol.dispose'), Symbol('Symbol.dispose'), undefined]) {
      expect(run(when, dispose)).toBe('the filter was used after dispose()');
    }
  },
);
