// A page, and its Worker, under a Content-Security-Policy: `?csp=strict` or `?csp=wasm`.

import { BloomFilter } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { errorOf, holds, same } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

const policy = new URLSearchParams(location.search).get('csp');
const inPage = typeof document !== 'undefined';

const inForce: Check = [
  `CSP, ${policy}: is in force`,
  async () => holds((await errorOf(() => new Function(''), 'eval')) instanceof EvalError, 'eval is not refused'),
];

const chosen: Check = [
  `CSP, ${policy}: bloomery/auto chooses an engine that works`,
  async () => {
    const { BloomFilter: Chosen } = await chooseEngine();
    const filter = new Chosen({ capacity: 1000 }).addMany(['ada', 'grace']);
    same(filter.has('ada') && filter.has('grace') && !filter.has('bob'), true, 'answers');
    same(filter.engine, policy === 'strict' ? 'js' : 'wasm', 'engine');
  },
];

const refused: Check = [
  'CSP, strict: the error says what to import, and has a cause',
  async () => {
    const error = await errorOf(() => new BloomFilter({ capacity: 10 }), 'WebAssembly');
    holds(error instanceof Error && error.cause instanceof Error, `no cause: ${error}`);
    same((error as Error).message, "WebAssembly is refused here: import from 'bloomery/js'", 'message');
    const rejection = await errorOf(() => BloomFilter.prepare(), 'prepare()');
    same((rejection as Error).message, (error as Error).message, 'message of prepare()');
    return String((error as Error).cause);
  },
];

// After a turn of the event loop, and in code of the page: a debugger may lift the policy for what it evaluates.
setTimeout(async () => {
  const checks = [inForce, chosen, ...(policy === 'strict' ? [refused] : [])];
  await report(inPage ? 'page' : 'Worker', await runChecks(checks));
}, 0);
if (inPage) new Worker(`/csp.js${location.search}`, { type: 'module' });
