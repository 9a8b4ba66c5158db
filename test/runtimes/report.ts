// What the suite prints, and the README's table.

import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../../bench/report.ts';
import { isCompared, type Outcome } from './checks/check.ts';
import { type Count, countOf, type Judged } from './verdict.ts';

const BEGIN = '<!-- runtimes -->';
const END = '<!-- /runtimes -->';
const README = new URL('../../README.md', import.meta.url);

/** The longest message that is printed whole. */
const MESSAGE_LENGTH = 400;

/** The engines, by the beginnings of the names of their checks. */
const engines = ['wasm', 'js'] as const;

function ofEngine(outcomes: readonly Outcome[], engine: string): Outcome[] {
  return outcomes.filter(({ name }) => name.startsWith(`${engine}, `));
}

function others(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ name }) => !engines.some((engine) => name.startsWith(`${engine}, `)));
}

/** `12` where all passed, else how many of them: `10 of 12`. */
function shareOf(outcomes: readonly Outcome[]): string {
  const { passed, failed } = countOf(outcomes);
  if (passed + failed === 0) return '–';
  return failed === 0 ? `${passed}` : `${passed} of ${passed + failed}`;
}

/** One line about a realm that has finished. */
export function lineOf({ runtime, version, realm, outcomes }: Judged, seconds: number): string {
  const { passed, failed } = countOf(outcomes);
  return `${runtime} ${version}, ${realm}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`;
}

/** A row for each realm: how many checks passed. */
export function resultTable(judged: readonly Judged[]): string {
  const rows = judged.map(({ runtime, version, realm, outcomes }) => [
    runtime,
    version || 'did not run',
    realm,
    ...engines.map((engine) => shareOf(ofEngine(outcomes, engine))),
    shareOf(others(outcomes)),
  ]);
  const header = ['runtime', 'version', 'realm', 'WebAssembly', 'JavaScript', 'others'];
  return tableOf(header, rows, ['left', 'left', 'left', 'right', 'right', 'right']);
}

/** Groups the realms in which something happened under what happened. */
function grouped(judged: readonly Judged[], what: (outcome: Outcome, realm: Judged) => string | undefined): string[] {
  const groups = new Map<string, string[]>();
  for (const realm of judged) {
    for (const outcome of realm.outcomes) {
      const key = what(outcome, realm);
      if (key === undefined) continue;
      const places = groups.get(key) ?? [];
      places.push(`${realm.runtime}, ${realm.realm}`);
      groups.set(key, places);
    }
  }
  return [...groups].map(([key, places]) => `${key}\n    in ${places.join('; ')}`);
}

/** Each failure with its message, once, and where it occurred. */
export function failureLines(judged: readonly Judged[]): string[] {
  const absent = judged.filter(({ ran }) => !ran);
  return [
    ...absent.map(({ runtime, realm, outcomes }) => `${runtime}, ${realm} did not run: ${outcomes[0]?.error ?? ''}`),
    ...grouped(judged, ({ name, error }, { ran }) =>
      ran && error !== undefined ? `${name}\n    ${error.slice(0, MESSAGE_LENGTH)}` : undefined,
    ),
  ];
}

/** What checks measured, such as memory. */
export function measuredLines(judged: readonly Judged[]): string[] {
  return grouped(judged, ({ name, detail }) =>
    detail === undefined || isCompared(detail) ? undefined : `${name}: ${detail}`,
  );
}

/** What a cell of the README says about the checks of an engine in all realms of a runtime. */
function mark({ passed, failed }: Count): string {
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
  return tableOf(header, rows, ['left', 'left', 'left', 'left', 'left']);
}

/** The text between the README's markers. */
export function readmeSection(): { readonly table: string; replace(table: string): void } {
  const text = readFileSync(README, 'utf8');
  const begin = text.indexOf(BEGIN) + BEGIN.length;
  const end = text.indexOf(END);
  if (begin < BEGIN.length || end < begin) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  return {
    table: text.slice(begin, end).trim(),
    replace: (table) => writeFileSync(README, `${text.slice(0, begin)}\n${table}\n${text.slice(end)}`),
  };
}
