// Judges what the realms reported. Nothing passes by being left out.

import { isCompared, isIn, type Outcome } from './checks/check.ts';
import type { Expected } from './expected.ts';
import type { Realm } from './target.ts';

/** The error of a check that a realm left out. */
export const MISSING = 'did not run';

/** A realm with what was found out about it. */
export interface Judged extends Realm {
  /** Whether it reported anything. */
  readonly ran: boolean;
}

/** What a realm must report: some targets, and all realms but the first, leave checks out. */
function wantedIn(
  { part = 'all', realms }: Expected,
  realm: string,
  reference: readonly Outcome[],
): readonly Outcome[] {
  return reference.filter((outcome) => isIn(part, realm === realms[0], outcome));
}

function repeated(outcomes: readonly Outcome[]): Set<string> {
  const names = outcomes.map(({ name }) => name);
  return new Set(names.filter((name, at) => names.indexOf(name) < at));
}

/** Says where two texts differ first. */
function difference(wanted: string, got: string): string {
  const [wantedLines, gotLines] = [wanted.split('\n'), got.split('\n')];
  const differing = wantedLines.findIndex((line, i) => line !== gotLines[i]);
  const at = differing < 0 ? wantedLines.length : differing;
  return `differs: wanted '${wantedLines[at] ?? ''}', got '${gotLines[at] ?? ''}'`;
}

/** An outcome, failed if the same check gave another result in the reference. */
function comparedWith(reference: Outcome | undefined, outcome: Outcome): Outcome {
  const wanted = reference?.detail;
  if (outcome.error !== undefined || !isCompared(wanted) || outcome.detail === wanted) return outcome;
  return { ...outcome, error: difference(wanted, outcome.detail ?? '') };
}

function judge(expected: Expected, realm: Realm, reference: readonly Outcome[]): Judged {
  const { version: wanted } = expected;
  const { version, outcomes } = realm;
  const twice = repeated(outcomes);
  const reported = new Set(outcomes.map(({ name }) => name));
  const byName = new Map(reference.map((outcome) => [outcome.name, outcome]));
  const found: Outcome[] = [
    ...outcomes.map((outcome) => comparedWith(byName.get(outcome.name), outcome)),
    ...wantedIn(expected, realm.realm, reference)
      .filter(({ name }) => !reported.has(name))
      .map(({ name }) => ({ name, error: MISSING })),
    ...[...twice].map((name) => ({ name, error: 'is the name of several checks' })),
  ];
  if (!version.startsWith(wanted) || version === '') {
    found.push({ name: 'the version', error: `wanted ${wanted || 'one'}, got '${version}'` });
  }
  return { ...realm, ran: true, outcomes: found };
}

/**
 * Judges the realms that a target reported: each of those that are expected, with each check of the reference.
 *
 * @param error why the target reported no more realms
 */
export function judgeAll(
  expected: Expected,
  realms: readonly Realm[],
  reference: readonly Outcome[],
  error = MISSING,
): Judged[] {
  const { runtime } = expected;
  const known = expected.realms.map((name) => {
    const reported = realms.filter(({ realm }) => realm === name);
    const [realm] = reported;
    if (realm && reported.length === 1) return judge(expected, realm, reference);
    const why = realm ? 'reported twice' : error;
    const outcomes = wantedIn(expected, name, reference).map((check) => ({ name: check.name, error: why }));
    return { runtime, version: '', realm: name, ran: false, outcomes };
  });
  const unknown = realms.filter(({ realm }) => !expected.realms.includes(realm));
  const surprise: Outcome = { name: 'the realm', error: 'is not in expected.ts' };
  return [...known, ...unknown.map((realm) => ({ ...realm, ran: true, outcomes: [surprise] }))];
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

export function countOf(outcomes: readonly Outcome[]): Count {
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return { passed: outcomes.length - failed, failed };
}
