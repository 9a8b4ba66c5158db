// The conformance program. It runs unchanged in every runtime and page, so it uses only web APIs, and no file.

import { type Check, isIn, type Outcome, type Part, runChecks, where } from './check.ts';
import { combine } from './combine.ts';
import { errors } from './errors.ts';
import { files } from './files.ts';
import { formatChecks } from './formats.ts';
import { golden } from './golden.ts';
import { keyedChecks } from './keyed.ts';
import { keys } from './keys.ts';
import { lifetime } from './lifetime.ts';
import { lookups } from './lookup.ts';
import { memory } from './memory.ts';
import { opening } from './opening.ts';
import { own } from './own.ts';
import { prepare } from './prepare.ts';
import { saving } from './saving.ts';
import { shapes } from './shapes.ts';
import { streams } from './streams.ts';
import { together } from './together.ts';

// `prepare` is first: on a page, Chrome before 115 makes no filter that has not been prepared. `memory` follows, while
// there is little garbage of other checks.
const checks: readonly Check[] = [
  ...prepare,
  ...memory,
  ...golden,
  ...keys,
  ...shapes,
  ...combine,
  ...own,
  ...formatChecks,
  ...lookups,
  ...saving,
  ...where('web', opening),
  ...where('web', streams),
  ...where('web', files),
  ...errors,
  ...together,
  ...keyedChecks,
  ...lifetime,
];

/** Runs a part of the checks. */
export function runAll(part: Part = 'all'): Promise<Outcome[]> {
  return runChecks(checks.filter(([name, , needs]) => isIn(part, name, needs)));
}
