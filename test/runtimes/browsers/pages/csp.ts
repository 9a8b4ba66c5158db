// A page, and its Worker, under a Content-Security-Policy: `?csp=strict` or `?csp=wasm`.

import { BloomFilter } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { errorOf, holds, same } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

const policy = new URLSearchParams(location.search).get('csp');
const inPage = typeof document !== 'undefined';

function expectAnswers(filter: BloomFilter, engine: string): void {
  filter.addMany(['ada', 'grace']);
  same(filter.has('ada') && filter.has('grace') && !filter.has('bob'), true, 'answers');
  same(filter.engine, engine, 'engine');
}

const inForce: Check = [
  `CSP, ${policy}: is in force`,
  async () => holds((await errorOf(() => new Function(''), 'eval')) instanceof EvalError, 'eval is not refused'),
];

const strict: Check[] = [
  inForce,
  [
    'CSP, strict: the error says what to import, and has a cause',
    async () => {
      const error = await errorOf(() => new BloomFilter({ capacity: 10 }), 'WebAssembly');
      holds(error instanceof Error && error.cause instanceof Error, `no cause: ${error}`);
      same((error as Error).message, "WebAssembly is refused here: import from 'bloomery/js'", 'message');
      const rejection = await errorOf(() => BloomFilter.prepare(), 'prepare()');
      same((rejection as Error).message, (error as Error).message, 'message of prepare()');
      return String((error as Error).cause);
    },
  ],
  [
    'CSP, strict: bloomery/auto chooses the JavaScript engine',
    async () => {
      const { BloomFilter } = await chooseEngine();
      expectAnswers(new BloomFilter({ capacity: 1000 }), 'js');
    },
  ],
  [
    'CSP, strict: the fallback to the JavaScript engine works as documented',
    async () => {
      let { BloomFilter } = await import('bloomery');
      try {
        new BloomFilter({ capacity: 1 }).dispose();
      } catch {
        ({ BloomFilter } = await import('bloomery/js'));
      }
      expectAnswers(new BloomFilter({ capacity: 1000 }), 'js');
    },
  ],
];

const wasm: Check[] = [
  inForce,
  ['CSP, wasm: WebAssembly works', () => expectAnswers(new BloomFilter({ capacity: 1000 }), 'wasm')],
  [
    'CSP, wasm: bloomery/auto chooses WebAssembly',
    async () => {
      const { BloomFilter } = await chooseEngine();
      expectAnswers(new BloomFilter({ capacity: 1000 }), 'wasm');
    },
  ],
];

// After a turn of the event loop, and in code of the page: a debugger may lift the policy for what it evaluates.
setTimeout(async () => {
  await report(inPage ? 'page' : 'Worker', await runChecks(policy === 'strict' ? strict : wasm));
}, 0);
if (inPage) new Worker(`/csp.js${location.search}`, { type: 'module' });
