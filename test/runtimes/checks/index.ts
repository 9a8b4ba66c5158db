// The conformance program. It runs unchanged in every runtime and page, so it uses only web APIs, and no file.

import { type Check, isIn, type Outcome, only, type Part, runChecks } from './check.ts';
import { errors } from './errors.ts';
import { files } from './files.ts';
import { formatChecks } from './formats.ts';
import { golden } from './golden.ts';
import { guarding } from './guarding.ts';
import { keyedChecks } from './keyed.ts';
import { keys } from './keys.ts';
import { lifetime } from './lifetime.ts';
import { memory } from './memory.ts';
import { opening } from './opening.ts';
import { prepare } from './prepare.ts';
import { results } from './results.ts';
import { saving } from './saving.ts';
import { streams } from './streams.ts';

// `prepare` is first: on a page, Chrome before 115 makes no filter that has not been prepared. `memory` follows, while
// there is little garbage of other checks.
const checks: readonly Check[] = [
  ...prepare,
  ...only({ once: true }, [...memory, ...golden, ...results, ...formatChecks, ...errors, ...keyedChecks]),
  ...keys,
  ...saving,
  ...only({ where: 'web' }, [...opening, ...streams, ...files, ...guarding]),
  ...lifetime,
];

/** Runs a part of the checks, in the first realm of a runtime or in another one. */
export function runAll(part: Part = 'all', isFirst = true): Promise<Outcome[]> {
  return runChecks(checks.filter(([name, , place]) => isIn(part, isFirst, { name, ...place })));
}
