// The conformance program. It runs unchanged in every runtime and page, so it uses only web APIs, and no file.

import { type Check, isIn, type Outcome, type Part, runChecks, where } from './check.ts';
import { errors } from './errors.ts';
import { estimates } from './estimates.ts';
import { files } from './files.ts';
import { formatChecks } from './formats.ts';
import { golden } from './golden.ts';
import { guarding } from './guarding.ts';
import { keyedChecks } from './keyed.ts';
import { keys } from './keys.ts';
import { lifetime } from './lifetime.ts';
import { lookups } from './lookup.ts';
import { memory } from './memory.ts';
import { opening } from './opening.ts';
import { prepare } from './prepare.ts';
import { removal } from './removal.ts';
import { saving } from './saving.ts';
import { streams } from './streams.ts';

// `prepare` is first: on a page, Chrome before 115 makes no filter that has not been prepared. `memory` follows, while
// there is little garbage of other checks.
const checks: readonly Check[] = [
  ...prepare,
  ...memory,
  ...golden,
  ...keys,
  ...estimates,
  ...removal,
  ...formatChecks,
  ...lookups,
  ...saving,
  ...where('web', opening),
  ...where('web', streams),
  ...where('web', files),
  ...errors,
  ...guarding,
  ...keyedChecks,
  ...lifetime,
];

/** Runs a part of the checks. */
export function runAll(part: Part = 'all'): Promise<Outcome[]> {
  return runChecks(checks.filter(([name, , needs]) => isIn(part, name, needs)));
}
