// The conformance suite: `npm run test:runtimes`. It runs the conformance program in every runtime of `expected.ts`.
// `--only firefox,node24` runs some of them, `--save` writes the README's table.

import { readFileSync } from 'node:fs';
import { planOf } from '../../bench/shared/cli.ts';
import { runSome } from './at-a-time.ts';
import { browsers } from './browsers/targets.ts';
import type { Outcome } from './checks/check.ts';
import { type Expected, expected, REFERENCE, untested } from './expected.ts';
import { type Options, readOptions } from './options.ts';
import { failureLines, lineOf, measuredLines, readmeSection, readmeTable } from './report.ts';
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

const targets: readonly Target[] = [...nodes, bun, deno, workerd, edgeRuntime, next, hermes, ...browsers];

interface Run {
  readonly realms: readonly Realm[];
  readonly seconds: number;
  /** Why there are no more realms. */
  readonly error?: string;
}

async function run(name: string): Promise<Run> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  try {
    const target = targets.find((each) => each.name === name);
    if (target === undefined) throw new Error(`no target is named ${name}`);
    return { realms: await target.run(), seconds: seconds() };
  } catch (error) {
    return { realms: [], seconds: seconds(), error: String(error) };
  }
}

/**
 * Runs all that is to be run: two at a time from the last one on, because the slowest stand last, and then, one after
 * another, those that measure.
 */
async function runAll(rows: readonly Expected[]): Promise<Judged[]> {
  const first = await run(REFERENCE);
  const reference: readonly Outcome[] = first.realms[0]?.outcomes ?? [];
  if (reference.length === 0) throw new Error(`the reference, ${REFERENCE}, did not run: ${first.error}`);
  const measures = (name: string): boolean => targets.find((target) => target.name === name)?.measures === true;
  const together = rows
    .map(({ target }) => target)
    .filter((name) => name !== REFERENCE && !measures(name))
    .reverse();
  const runs = new Map([[REFERENCE, first]]);
  for (const [i, ran] of (await runSome(2, together, run)).entries()) runs.set(together[i] as string, ran);
  const judged: Judged[] = [];
  for (const row of rows) {
    const { realms, seconds, error } = runs.get(row.target) ?? (await run(row.target));
    const ofRow = judgeAll(row, realms, reference, error);
    for (const realm of ofRow) console.log(lineOf(realm, seconds));
    judged.push(...ofRow);
  }
  return judged;
}

async function main({ targets: chosen, isWhole, saves }: Options): Promise<void> {
  const rows = expected.filter(({ target }) => chosen.includes(target));
  const judged = await runAll(rows);

  const measured = measuredLines(judged);
  if (measured.length > 0) console.log(`\nMeasured:\n${measured.join('\n')}`);
  const failures = failureLines(judged);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
  if (judged.some(({ ran }) => !ran)) {
    const packages = readFileSync(new URL('debian-packages', import.meta.url), 'utf8').trim();
    console.log(`\nBrowsers come from Debian: apt-get install --no-install-recommends ${packages}`);
  }
  if (saves) readmeSection().replace(`${readmeTable(judged)}\n\nNot run: ${untested.join(', ')}.`);
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
