// The conformance program. It runs unchanged in every runtime and page, so it uses only web APIs, and no file.

import { type Check, isIn, type Outcome, only, type Part, runChecks } from './check.ts';
import { keys } from './keys.ts';
import { lifetime } from './lifetime.ts';
import { results } from './results.ts';
import { saving } from './saving.ts';
import { streams } from './streams.ts';

const checks: readonly Check[] = [
  ...lifetime,
  ...only({ once: true }, results),
  ...keys,
  ...saving,
  ...only({ web: true }, streams),
];

const names = checks.map(([name]) => name);
const twice = names.find((name, at) => names.indexOf(name) < at);
if (twice !== undefined) throw new Error(`two checks are named '${twice}'`);

/** Runs a part of the checks, in the first realm of a runtime or in another one. */
export function runAll(part: Part = 'all', isFirst = true): Promise<Outcome[]> {
  return runChecks(checks.filter(([name, , place]) => isIn(part, isFirst, { name, ...place })));
}
