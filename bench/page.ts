// Runs the site's own benchmark in browsers, and saves the results that the page shows to those who have not yet
// measured.

import { browserName } from '../site/src/benchmark/browser.ts';
import { rowsOf } from '../site/src/benchmark/rows.ts';
import { contenderNames, type Operation, operations, type Result, temperatures } from '../site/src/benchmark/run.ts';
import { fromFragment } from '../site/src/benchmark/share.ts';
import { type StoredRun, withStored } from '../site/src/benchmark/stored.ts';
import { SitePage } from '../site/test/page.ts';
import { serveSite } from '../site/test/server.ts';
import type { LaunchDriven } from '../test/runtimes/browsers/browser.ts';
import { sleep } from '../test/runtimes/browsers/processes.ts';
import { launchers } from './shared/browsers.ts';
import { benchmark, choice, flag, type Run, status } from './shared/cli.ts';
import { integer, nanoseconds, tableOf } from './shared/figures.ts';
import { describeMachine, thisMachine } from './shared/machine.ts';
import { requireQuiet, type Timed } from './shared/quiet.ts';
import { readResults, writeResults } from './shared/report.ts';

const FILE = 'pages';
const WAIT_MS = 600_000;
/** More than the page offers at first, because a run that is stored tells of its machine for a long time. */
const ROUNDS = 15;

const options = {
  browsers: choice('the browsers', Object.keys(launchers)),
  save: flag(`save the results in bench/results/${FILE}.json, which the site shows`),
};

/** Presses the button, and waits for the result. */
async function runIn(name: string, url: string): Promise<Result> {
  status(`${name} …`);
  const browser = await (launchers[name] as LaunchDriven)();
  try {
    const page = new SitePage(browser, url);
    await page.open('benchmark.html');
    await page.browser.evaluate(`document.getElementById('rounds').value = '${ROUNDS}'`);
    await page.click('start');
    let said = '';
    for (const begun = Date.now(); !/^(?:Done|Failed)/.test(said) && Date.now() < begun + WAIT_MS; ) {
      await sleep(500);
      said = await page.text('progress-text');
    }
    const fragment = await browser.evaluate<string>('return location.hash');
    const result = fromFragment(fragment);
    if (result === undefined) throw new Error(`${name}: ${said}`);
    return result;
  } finally {
    await browser.close();
  }
}

const header = ['browser', 'contender', 'build', 'look up present', 'look up absent'];

function cellsOf(result: Result): string[][] {
  return rowsOf(result).map(({ name, figures }) => {
    const cell = (operation: Operation): string =>
      temperatures.map((temperature) => nanoseconds(figures[temperature][operation].median)).join(' / ');
    return [browserName(result.machine.userAgent), name, ...operations.map(cell)];
  });
}

/** What each contender took in each case, for the check of a run. */
export function timedIn({ machine, plan, times }: Result): Timed[] {
  const browser = browserName(machine.userAgent);
  return temperatures.flatMap((temperature) =>
    operations.flatMap((operation) =>
      times[temperature][operation].map((rounds, i) => ({
        name: `${browser}, ${contenderNames[i]}, ${temperature}, ${operation}`,
        rounds,
        step: (1000 * machine.clock) / plan.keys,
      })),
    ),
  );
}

const run: Run = benchmark(options, async ({ browsers, save }) => {
  const server = await serveSite();
  const machine = thisMachine();
  const runs: StoredRun[] = [];
  try {
    for (const name of browsers) {
      const { cpu, memory, system } = machine;
      runs.push({ cpu, memory, system, result: await runIn(name, server.url) });
    }
  } finally {
    server.close();
  }
  if (save) {
    for (const { result } of runs) requireQuiet(timedIn(result));
    const stored = (readResults(FILE) ?? []) as readonly StoredRun[];
    writeResults(FILE, runs.reduce(withStored, stored));
  }
  const keys = integer.format(runs[0]?.result.plan.keys ?? 0);
  return [
    `${keys} keys, nanoseconds per key, warm / cold, on ${describeMachine(machine)}.`,
    tableOf(
      header,
      runs.flatMap(({ result }) => cellsOf(result)),
      ['browser', 'contender'],
    ),
  ].join('\n\n');
});
export default run;
