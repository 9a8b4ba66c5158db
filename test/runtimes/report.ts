// What the suite prints, and the README's table.

import { tableOf } from '../../bench/shared/figures.ts';
import { countOf, type Judged } from './verdict.ts';

/** The longest message that is printed whole. */
const MESSAGE_LENGTH = 400;

/** Each failure with its message, once, and where it occurred. */
export function failureLines(judged: readonly Judged[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { runtime, realm, outcomes } of judged) {
    for (const { name, error } of outcomes) {
      if (error === undefined) continue;
      const failure = `${name}\n    ${error.slice(0, MESSAGE_LENGTH)}`;
      places.set(failure, (places.get(failure) ?? new Set()).add(`${runtime}, ${realm}`));
    }
  }
  return Array.from(places, ([failure, realms]) => `${failure}\n    in ${[...realms].join('; ')}`);
}

/** What a cell of the README says about the checks of an engine in all realms of a runtime. */
function mark(realms: readonly Judged[], engine: string): string {
  const ofEngine = new RegExp(`^${engine}\\b`);
  const { passed, failed } = countOf(
    realms.flatMap(({ outcomes }) => outcomes.filter(({ name }) => ofEngine.test(name))),
  );
  if (passed + failed === 0) return '–';
  return failed === 0 ? '✓' : `${passed} of ${passed + failed} checks`;
}

/** One row for each runtime. Where there is only one realm, that it is there says everything. */
export function readmeTable(judged: readonly Judged[]): string {
  const rows = [...new Set(judged.map(({ runtime }) => runtime))].map((runtime) => {
    const realms = judged.filter((each) => each.runtime === runtime);
    const names = realms.map(({ realm }) => realm);
    const places = names.includes('page') ? names.join(', ') : '–';
    return [runtime, realms[0]?.version ?? '', places, mark(realms, 'wasm'), mark(realms, 'js')];
  });
  const header = ['runtime', 'version', 'realms', 'WebAssembly', 'plain JavaScript'];
  return tableOf(header, rows, header);
}
