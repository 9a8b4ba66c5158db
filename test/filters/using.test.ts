import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const contents = `
  import { BloomFilter } from 'bloomery';
  define();
  let kept;
  {
    using filter = BloomFilter.from(['ada']);
    kept = filter;
  }
  kept.has('ada');`;

/** The program as it is after esbuild has lowered `using`, with bloomery in it. */
const { outputFiles } = await build({
  stdin: { contents, resolveDir: '.' },
  alias: { bloomery: resolve('src/index.ts') },
  bundle: true,
  format: 'iife',
  target: 'es2022',
  write: false,
});
const run = new Function('Symbol', 'define', outputFiles[0]?.text ?? '');

it.each(['before', 'after'])('using works with a symbol of any sort, defined %s bloomery is loaded', (when) => {
  // The last one where there is none, in whose place esbuild has one of the registry.
  for (const symbol of [Symbol.for('Symbol.dispose'), Symbol('Symbol.dispose'), undefined]) {
    // What stands for `Symbol` in a runtime that lacks `Symbol.dispose`, as WebKit does.
    let dispose = when === 'before' ? symbol : undefined;
    const bare = new Proxy((description: string): symbol => Symbol(description), {
      get: (_, name) => (name === 'dispose' ? dispose : Reflect.get(Symbol, name)),
    });
    const define = (): void => {
      dispose = symbol;
    };
    expect(() => run(bare, define)).toThrow('the filter was used after dispose()');
  }
});
