// The conformance suite: `npm run test:runtimes`. It runs the conformance program in every runtime of `expected.ts`.
// `--only firefox,node24` runs some of them, `--save` writes the README's table.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { planOf } from '../../bench/shared/cli.ts';
import { writeSection } from '../../tools/sections.ts';
import { runSome } from './at-a-time.ts';
import { browsers } from './browsers/targets.ts';
import type { Outcome } from './checks/check.ts';
import { type Expected, expected, REFERENCE, untested } from './expected.ts';
import { failureLines, lineOf, readmeTable } from './report.ts';
import { bun } from './servers/bun.ts';
import { deno } from './servers/deno.ts';
import { edgeRuntime } from './servers/edge-runtime.ts';
import { hermes } from './servers/hermes.ts';
import { next } from './servers/next.ts';
import { nodes } from './servers/node.ts';
import { workerd } from './servers/workerd.ts';
import type { Realm, Target } from './target.ts';
import { countOf, type Judged, judgeAll } from './verdict.ts';

const USAGE = `Usage: npm run test:runtimes -- [options]

  --only firefox,node24   which of ${expected.map(({ target }) => target).join(', ')} (default: all)
  --save                  write the README's table
  --help                  show this text`;

interface Options {
  /** The targets to run. */
  readonly targets: readonly string[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** Whether the README's table is written. */
  readonly saves: boolean;
}

/**
 * @returns undefined for help
 * @throws Error if an option is unknown or invalid
 */
function readOptions(args: readonly string[]): Options | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const options = { only: { type: 'string' }, save: flag, help: { ...flag, short: 'h' } } as const;
  const { only, save, help } = parseArgs({ args: [...args], options }).values;
  if (help) return undefined;
  const all = expected.map(({ target }) => target);
  const targets = only?.split(',') ?? all;
  const unknown = targets.find((target) => !all.includes(target));
  if (unknown !== undefined) throw new RangeError(`--only takes ${all.join(', ')}, got '${unknown}'`);
  if (save && only !== undefined) throw new RangeError('--save writes a table of all runtimes: leave out --only');
  return { targets, isWhole: only === undefined, saves: save };
}

const targets: readonly Target[] = [...nodes, bun, deno, workerd, edgeRuntime, next, hermes, ...browsers];

interface Run {
  readonly realms: readonly Realm[];
  /** Why there are no more realms. */
  readonly error?: string;
}

async function run(name: string): Promise<Run> {
  const start = performance.now();
  try {
    const target = targets.find((each) => each.name === name);
    if (target === undefined) throw new Error(`no target is named ${name}`);
    return { realms: await target.run() };
  } catch (error) {
    return { realms: [], error: String(error) };
  } finally {
    console.log(`${name} has taken ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

/** Runs all that is to be run, two at a time from the last one on, because the slowest stand last. */
async function runAll(rows: readonly Expected[]): Promise<Judged[]> {
  const names = [...new Set([REFERENCE, ...rows.map(({ target }) => target)])].reverse();
  const runs = new Map((await runSome(2, names, run)).map((ran, i) => [names[i], ran]));
  const first = runs.get(REFERENCE);
  const reference: readonly Outcome[] = first?.realms[0]?.outcomes ?? [];
  if (reference.length === 0) throw new Error(`the reference, ${REFERENCE}, did not run: ${first?.error}`);
  return rows.flatMap((row) => {
    const { realms, error } = runs.get(row.target) as Run;
    const judged = judgeAll(row, realms, reference, error);
    for (const realm of judged) console.log(lineOf(realm));
    return judged;
  });
}

async function main({ targets: chosen, isWhole, saves }: Options): Promise<void> {
  const rows = expected.filter(({ target }) => chosen.includes(target));
  const judged = await runAll(rows);

  const failures = failureLines(judged);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
  if (judged.some(({ ran }) => !ran)) {
    const packages = readFileSync(new URL('debian-packages', import.meta.url), 'utf8').trim();
    console.log(`\nBrowsers come from Debian: apt-get install --no-install-recommends ${packages}`);
  }
  if (saves) writeSection('README.md', 'runtimes', `${readmeTable(judged)}\n\nNot run: ${untested.join(', ')}.`);
  if (!isWhole) {
    const left = expected.filter((row) => !rows.includes(row)).map(({ runtime }) => runtime);
    console.log(`\nNot run, because of --only: ${left.join(', ')}`);
  }
  console.log(`\nNever run: ${untested.join(', ')}`);
  const { passed, failed } = countOf(judged.flatMap(({ outcomes }) => outcomes));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

const options = planOf(USAGE, readOptions);
if (options !== undefined) await main(options);
