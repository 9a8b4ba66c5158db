// The conformance suite: `npm run test:runtimes`. It runs the conformance program in every runtime of `expected.ts`.
// `--only firefox,node24` runs some of them, `--save` writes the README's table.

import { readFileSync } from 'node:fs';
import { tableOf } from '../../bench/shared/figures.ts';
import { writeSection } from '../../tools/sections.ts';
import { misused, optionsOf } from '../shared/options.ts';
import { runSome } from './at-a-time.ts';
import { browsers } from './browsers/run.ts';
import { expected, REFERENCE, type Realm, type Target, untested } from './expected.ts';
import { targets as servers } from './servers/targets.ts';
import { countOf, type Judged, judgeAll } from './verdict.ts';

const MESSAGE_LENGTH = 400;

/** Each failure with its message, once, and where it occurred. */
function failureLines(judged: readonly Judged[]): string[] {
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

function mark(realms: readonly Judged[], engine: string): string {
  const ofEngine = new RegExp(`^${engine}\\b`);
  const { passed, failed } = countOf(
    realms.flatMap(({ outcomes }) => outcomes.filter(({ name }) => ofEngine.test(name))),
  );
  if (passed + failed === 0) return '–';
  return failed === 0 ? '✓' : `${passed} of ${passed + failed} checks`;
}

/** One row for each runtime. Where there is only one realm, that it is there says everything. */
function readmeTable(judged: readonly Judged[]): string {
  const rows = [...new Set(judged.map(({ runtime }) => runtime))].map((runtime) => {
    const realms = judged.filter((each) => each.runtime === runtime);
    const names = realms.map(({ realm }) => realm);
    const places = names.includes('page') ? names.join(', ') : '–';
    return [runtime, realms[0]?.version ?? '', places, mark(realms, 'wasm'), mark(realms, 'js')];
  });
  const header = ['runtime', 'version', 'realms', 'WebAssembly', 'plain JavaScript'];
  return tableOf(header, rows, header);
}

const all = expected.map(({ target }) => target);
const USAGE = `Usage: npm run test:runtimes -- [--only NAME,...] [--save]

Runs the conformance program in some runtimes, or in all: ${all.join(', ')}.
--save writes the README's table.`;
const { only, save } = optionsOf(USAGE, { options: { only: { type: 'string' }, save: { type: 'boolean' } } }).values;
const chosen = only?.split(',') ?? all;
const unknown = chosen.find((name) => !all.includes(name));
if (unknown !== undefined) misused(`There is no runtime '${unknown}'.`, USAGE);
if (save && only !== undefined) misused('--save writes a table of all runtimes: leave out --only', USAGE);

const targets: Readonly<Record<string, Target>> = { ...servers, ...browsers };

async function run(name: string): Promise<{ realms: readonly Realm[]; error?: string }> {
  const start = performance.now();
  try {
    return { realms: await (targets[name] as Target)() };
  } catch (error) {
    return { realms: [], error: String(error) };
  } finally {
    console.log(`${name} has taken ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

// Two at a time from the last one on, because the slowest stand last.
const names = [...new Set([REFERENCE, ...chosen])].reverse();
const runs = new Map((await runSome(2, names, run)).map((ran, i) => [names[i], ran]));
const first = runs.get(REFERENCE);
const reference = first?.realms[0]?.outcomes ?? [];
if (reference.length === 0) throw new Error(`the reference, ${REFERENCE}, did not run: ${first?.error}`);
const judged = expected
  .filter(({ target }) => chosen.includes(target))
  .flatMap((row) => {
    const { realms, error } = runs.get(row.target) ?? { realms: [] };
    return judgeAll(row, realms, reference, error);
  });

for (const { runtime, version, realm, outcomes } of judged) {
  const { passed, failed } = countOf(outcomes);
  console.log(`${runtime} ${version}, ${realm}: ${passed} passed, ${failed} failed`);
}
const failures = failureLines(judged);
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
if (judged.some(({ version }) => version === '')) {
  const packages = readFileSync(new URL('debian-packages', import.meta.url), 'utf8').trim();
  console.log(`\nBrowsers come from Debian: apt-get install --no-install-recommends ${packages}`);
}
if (save) writeSection('README.md', 'runtimes', `${readmeTable(judged)}\n\nNot run: ${untested.join(', ')}.`);
console.log(`\nNever run: ${untested.join(', ')}`);
const { passed, failed } = countOf(judged.flatMap(({ outcomes }) => outcomes));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
