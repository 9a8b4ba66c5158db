// Compares both engines with other filters in browsers.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, LaunchDriven } from '../../test/runtimes/browsers/browser.ts';
import { within } from '../../test/runtimes/browsers/processes.ts';
import { serve } from '../../test/runtimes/browsers/server.ts';
import { bundle } from '../../test/runtimes/bundle.ts';
import { launchers } from '../shared/browsers.ts';
import { benchmark, choice, type Run, rounds, status } from '../shared/cli.ts';
import { integer } from '../shared/figures.ts';
import { keyTypes } from '../shared/key-types.ts';
import { describeMachine } from '../shared/machine.ts';
import { legend, slicesTable } from '../shared/slices.ts';
import type { Done, Job } from './page.ts';

const ERROR_RATE = 0.01;
/** The keys of a turn: many, because the clocks of browsers are coarse. */
const SLICE = 20_000;
const ENGINES = ['wasm', 'js'];
const PAGE_MS = 600_000;

/** Opens the page of an engine, and lets it do all jobs. */
async function runPage(browser: Browser, script: string, engine: string, jobs: readonly Job[]): Promise<Done[]> {
  const done: Done[] = [];
  let next = 0;
  let finish: (error?: Error) => void = () => {};
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error ? reject(error) : resolve());
  });
  const answers = {
    job: () => jobs[next++] ?? finish(),
    done: (value: unknown) => void done.push(value as Done),
    failed: (error: unknown) => finish(new Error(String(error))),
  };
  // A cross-origin isolated page has a finer clock.
  const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const server = await serve(new Map([['browsers-page.js', readFileSync(script)]]), answers, headers);
  try {
    await browser.open(`${server.url}/browsers-page.html?engine=${engine}`);
    await within(PAGE_MS, engine, finished);
  } finally {
    server.close();
  }
  return done;
}

async function sectionsFor(name: string, script: string, jobs: readonly Job[]): Promise<string[]> {
  const browser = await (launchers[name] as LaunchDriven)();
  try {
    const sections: string[] = [];
    for (const engine of ENGINES) {
      status(`${name}, ${engine} …`);
      const results = await runPage(browser, script, engine, jobs);
      for (const [i, { contenders, measured, clock }] of results.entries()) {
        sections.push(
          `## ${name} ${browser.version}, ${engine}: ${keyTypes[jobs[i]?.type ?? '']?.about}`,
          `The clock's step is ${clock.toFixed(0)} µs.`,
          slicesTable(contenders, contenders.includes('bloomfilter') ? 'bloomfilter' : 'plain JS', measured),
        );
      }
    }
    return sections;
  } finally {
    await browser.close();
  }
}

const options = {
  only: choice(`which of ${Object.keys(launchers).join(', ')}`, Object.keys(launchers)),
  types: choice('which keys', Object.keys(keyTypes)),
  rounds: rounds(9),
};

const run: Run = benchmark(
  options,
  async ({ only, types, rounds }) => {
    status('making the pages and the keys …');
    const script = await bundle({ entry: fileURLToPath(new URL('page.ts', import.meta.url)), format: 'esm' });
    const jobs = types.map((type): Job => ({ type, errorRate: ERROR_RATE, slice: SLICE, rounds }));
    const sections: string[] = [];
    for (const name of only) sections.push(...(await sectionsFor(name, script, jobs)));
    return [
      '# bloomery: browsers',
      describeMachine(),
      `100,000 keys, fewer if they are long; the filters take turns every ${integer.format(SLICE)}, for ${rounds} rounds, ` +
        `error rate ${100 * ERROR_RATE} %. ${legend}`,
      ...sections,
    ].join('\n\n');
  },
  'Browsers come from Debian: apt-get install --no-install-recommends $(cat test/runtimes/debian-packages)',
);
export default run;
