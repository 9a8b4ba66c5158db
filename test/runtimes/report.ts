// What the suite prints, and the README's table.

import { tableOf } from '../../bench/shared/figures.ts';
import type { Outcome } from './checks/check.ts';
import { type Count, countOf, type Judged, MISSING } from './verdict.ts';

/** The longest message that is printed whole. */
const MESSAGE_LENGTH = 400;

/** The engines, by the beginnings of the names of their checks. */
const engines = ['wasm', 'js'] as const;

/** The engine that a check is about. */
function engineOf({ name }: Outcome): (typeof engines)[number] | undefined {
  return engines.find((engine) => new RegExp(`^${engine}\\b`).test(name));
}

function ofEngine(outcomes: readonly Outcome[], engine: string | undefined): Outcome[] {
  return outcomes.filter((outcome) => engineOf(outcome) === engine);
}

/** One line about a realm that has finished. */
export function lineOf({ runtime, version, realm, outcomes }: Judged): string {
  const { passed, failed } = countOf(outcomes);
  return `${runtime} ${version}, ${realm}: ${passed} passed, ${failed} failed`;
}

function missingLine({ ran, runtime, realm, outcomes }: Judged): string[] {
  if (!ran) return [`${runtime}, ${realm} did not run: ${outcomes[0]?.error ?? ''}`];
  const missing = outcomes.filter(({ error }) => error === MISSING);
  return missing.length === 0 ? [] : [`${runtime}, ${realm}: ${missing.length} of its checks did not run`];
}

/** Each failure with its message, once, and where it occurred. */
export function failureLines(judged: readonly Judged[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { runtime, realm, outcomes } of judged.filter(({ ran }) => ran)) {
    for (const { name, error = MISSING } of outcomes) {
      if (error === MISSING) continue;
      const failure = `${name}\n    ${error.slice(0, MESSAGE_LENGTH)}`;
      places.set(failure, (places.get(failure) ?? new Set()).add(`${runtime}, ${realm}`));
    }
  }
  const lines = Array.from(places, ([failure, realms]) => `${failure}\n    in ${[...realms].join('; ')}`);
  return [...judged.flatMap(missingLine), ...lines];
}

/** What a cell of the README says about the checks of an engine in all realms of a runtime. */
function mark({ passed, failed }: Count): string {
  if (passed + failed === 0) return '–';
  return failed === 0 ? '✓' : `${passed} of ${passed + failed} checks`;
}

/** One row for each runtime. Where there is only one realm, that it is there says everything. */
export function readmeTable(judged: readonly Judged[]): string {
  const runtimes = [...new Set(judged.map(({ runtime }) => runtime))];
  const rows = runtimes.map((runtime) => {
    const realms = judged.filter((each) => each.runtime === runtime);
    const isPage = realms.some(({ realm }) => realm === 'page');
    const all = realms.flatMap(({ outcomes }) => outcomes);
    return [
      runtime,
      realms[0]?.version ?? '',
      isPage ? realms.map(({ realm }) => realm).join(', ') : '–',
      ...engines.map((engine) => mark(countOf(ofEngine(all, engine)))),
    ];
  });
  const header = ['runtime', 'version', 'realms', 'WebAssembly', 'plain JavaScript'];
  return tableOf(header, rows, header);
}
