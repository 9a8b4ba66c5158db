// The conformance program. It runs unchanged in every runtime and page, so it uses only web APIs, and no file.

import { type Check, type Outcome, runChecks } from './check.ts';
import { golden } from './golden.ts';

const checks: readonly Check[] = [...golden];

/** Runs all checks. */
export function runAll(): Promise<Outcome[]> {
  return runChecks(checks);
}
