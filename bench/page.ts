// Runs the site's own benchmark in browsers, and saves the results that the page shows to those who have not yet
// measured.

import { browserName } from '../site/src/benchmark/browser.ts';
import { contenderNames, type Operation, operations, type Result, temperatures } from '../site/src/benchmark/run.ts';
import { fromFragment } from '../site/src/benchmark/share.ts';
import { type StoredRun, withStored } from '../site/src/benchmark/stored.ts';
import { SitePage } from '../site/test/page.ts';
import { serveSite } from '../site/test/server.ts';
import type { LaunchDriven } from '../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../test/runtimes/browsers/chromium.ts';
import { launchFirefox } from '../test/runtimes/browsers/firefox.ts';
import { sleep } from '../test/runtimes/browsers/processes.ts';
import { launchWebKit } from '../test/runtimes/browsers/webkit.ts';
import { benchmark, choice, flag, json, type Run, status } from './shared/cli.ts';
import { integer, nanoseconds, spreadOf, tableOf } from './shared/figures.ts';
import { describeMachine, thisMachine } from './shared/machine.ts';
import { readResults, writeResults } from './shared/report.ts';

const FILE = 'pages';
const WAIT_MS = 600_000;

const launchers: Readonly<Record<string, LaunchDriven>> = {
  chromium: launchChromium,
  firefox: launchFirefox,
  webkit: launchWebKit,
};

const options = {
  browsers: choice('the browsers', Object.keys(launchers)),
  save: flag(`save the results in bench/results/${FILE}.json, which the site shows`),
  json,
};

/** Presses the button, and waits for the result. */
async function runIn(name: string, url: string): Promise<Result> {
  status(`${name} …`);
  const browser = await (launchers[name] as LaunchDriven)();
  try {
    const page = new SitePage(browser, url);
    await page.open('benchmark.html');
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

function rowsOf({ machine, times }: Result, names: readonly string[]): string[][] {
  return names.map((name, i) => {
    const cell = (operation: Operation): string =>
      temperatures
        .map((temperature) => nanoseconds(spreadOf(times[temperature][operation][i] ?? []).median))
        .join(' / ');
    return [browserName(machine.userAgent), name, ...operations.map(cell)];
  });
}

const run: Run = benchmark(options, async ({ browsers, save, json: isJson }) => {
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
    const stored = (readResults(FILE) ?? []) as readonly StoredRun[];
    writeResults(FILE, runs.reduce(withStored, stored));
  }
  if (isJson) return JSON.stringify(runs, null, 2);
  const keys = integer.format(runs[0]?.result.plan.keys ?? 0);
  return [
    `${keys} keys, nanoseconds per key, warm / cold, on ${describeMachine(machine)}.`,
    tableOf(
      header,
      runs.flatMap(({ result }) => rowsOf(result, contenderNames)),
      ['browser', 'contender'],
    ),
  ].join('\n\n');
});
export default run;
