// Runs the conformance program in Node, Bun or Deno, and prints its report.

import { runAll } from '../checks/index.ts';

// Bun and Deno say which Node they stand for too.
const { bun, deno, node } = process.versions as Record<string, string>;
console.log(JSON.stringify({ realm: 'process', version: bun ?? deno ?? node, outcomes: await runAll() }));
