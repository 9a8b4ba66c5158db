// A page without a bundler, from a server and from a disk: see ONE_FILE in run.ts.

import { holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

type Bloomery = typeof import('bloomery');

function works({ BloomFilter, lines }: Bloomery): void {
  const filter = new BloomFilter({ capacity: 1000 });
  filter.addMany(lines(new TextEncoder().encode('ada\ngrace\n')));
  same(filter.engine, 'wasm', 'engine');
  holds(filter.has('ada') && filter.has('grace') && !filter.has('bob'), 'wrong answers');
}

const { protocol } = location;
const script = [
  `one file, ${protocol}: bloomery.iife.js defines bloomery`,
  () => works((globalThis as unknown as { bloomery: Bloomery }).bloomery),
] as const;
const module = [
  `one file, ${protocol}: bloomery.min.js is imported`,
  async () => {
    // Not a literal, because the bundler would look for the file.
    const path = '/bloomery.min.js';
    works(await import(path));
  },
] as const;

// No browser imports modules from a disk.
runChecks(protocol === 'file:' ? [script] : [script, module]).then((outcomes) => report('page', outcomes));
