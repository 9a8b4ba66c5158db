// Judges what the realms reported. Nothing passes by being left out.

import { COMPARED, isIn, type Outcome } from './checks/check.ts';
import type { Expected, Realm } from './expected.ts';

/** A realm, with an error in each outcome that is not as it must be. */
export interface Judged extends Realm {
  readonly runtime: string;
}

function difference(wanted: string, got: string): string {
  const [wantedLines, gotLines] = [wanted.split('\n'), got.split('\n')];
  const at = wantedLines.findIndex((line, i) => line !== gotLines[i]);
  return `differs: wanted '${wantedLines[at]}', got '${gotLines[at] ?? ''}'`;
}

/** An outcome, failed if the same check gave another result in the reference. */
function comparedWith(reference: Outcome | undefined, outcome: Outcome): Outcome {
  const { detail: wanted = '' } = reference ?? {};
  const { error, detail = '' } = outcome;
  if (error !== undefined || !wanted.startsWith(COMPARED) || detail === wanted) return outcome;
  return { ...outcome, error: difference(wanted, detail) };
}

/** Judges the realms that a target reported: each of those that are expected, with each check of the reference. */
export function judgeAll(
  { runtime, version: prefix, realms, part = 'all' }: Expected,
  reported: readonly Realm[],
  reference: readonly Outcome[],
  why = 'did not run',
): Judged[] {
  const byName = new Map(reference.map((outcome) => [outcome.name, outcome]));
  const known = realms.map((realm): Judged => {
    const { version = '', outcomes = [] } = reported.find((each) => each.realm === realm) ?? {};
    const names = new Set(outcomes.map(({ name }) => name));
    const found = outcomes.map((outcome) => comparedWith(byName.get(outcome.name), outcome));
    const missing = reference.filter((each) => isIn(part, realm === realms[0], each) && !names.has(each.name));
    found.push(...missing.map(({ name }) => ({ name, error: why })));
    if (!version.startsWith(prefix) || version === '') {
      found.push({ name: 'the version', error: `wanted ${prefix || 'one'}, got '${version}'` });
    }
    return { runtime, realm, version, outcomes: found };
  });
  const unknown = reported.filter(({ realm }) => !realms.includes(realm));
  const surprise: Outcome = { name: 'the realm', error: 'is not in expected.ts' };
  return [...known, ...unknown.map((realm) => ({ ...realm, runtime, outcomes: [surprise] }))];
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

export function countOf(outcomes: readonly Outcome[]): Count {
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return { passed: outcomes.length - failed, failed };
}
