// Runs the conformance program in Node, Bun or Deno, and prints its report.

import { runAll } from '../checks/index.ts';
import type { Report } from './process.ts';

interface Globals {
  readonly Bun?: { readonly version: string };
  readonly Deno?: { readonly version: { readonly deno: string } };
  readonly process: { readonly version: string };
}

// Bun and Deno have a `process` too.
const { Bun, Deno, process } = globalThis as object as Globals;

function identity(): Omit<Report, 'outcomes'> {
  if (Deno) return { program: 'Deno', version: Deno.version.deno };
  if (Bun) return { program: 'Bun', version: Bun.version };
  return { program: 'Node', version: process.version.slice(1) };
}

const report: Report = { ...identity(), outcomes: await runAll() };
console.log(JSON.stringify(report));
