// Compares both engines with other filters in browsers: `npm run bench:browsers -- --help`.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Launch } from '../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../test/runtimes/browsers/chromium.ts';
import { launchFirefox } from '../test/runtimes/browsers/firefox.ts';
import { within } from '../test/runtimes/browsers/processes.ts';
import { serve } from '../test/runtimes/browsers/server.ts';
import { launchWebKit } from '../test/runtimes/browsers/webkit.ts';
import { bundle } from '../test/runtimes/bundle.ts';
import type { Done, Job } from './browsers-page.ts';
import { printed } from './command.ts';
import { aboutSets, makeSet } from './keys.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { integer } from './report.ts';
import { legend, slicesTable } from './slices-report.ts';
import { status } from './status.ts';

const ERROR_RATE = 0.01;
/** Many, because the clocks of browsers are coarse. */
const SLICE = 20_000;
const SETS = ['names', 'short', 'long'];
const ENGINES = ['wasm', 'js'];
const PAGE_MS = 600_000;

const launches: Readonly<Record<string, Launch>> = {
  chromium: launchChromium,
  firefox: launchFirefox,
  webkit: launchWebKit,
};

const USAGE = `Usage: npm run bench:browsers -- [options]

  --only chromium   which of ${Object.keys(launches).join(', ')} (default: all)
  --sets names      which of ${SETS.join(', ')} (default: all)
  --keys 1e5        how many strings to add, and to look up (default: 100000)
  --rounds 9        how many rounds to take the median of (default: 9)
  --help            show this text

Browsers come from Debian: apt-get install --no-install-recommends $(cat test/runtimes/debian-packages)`;

interface Plan {
  readonly browsers: readonly string[];
  readonly sets: readonly string[];
  readonly keys: number;
  readonly rounds: number;
}

function chosen(name: string, text: string | undefined, known: readonly string[]): readonly string[] {
  const names = text?.split(',') ?? known;
  const unknown = names.find((each) => !known.includes(each));
  if (unknown !== undefined) throw new RangeError(`--${name} takes ${known.join(', ')}, got '${unknown}'`);
  return names;
}

/** What the command line asks for; undefined for help. */
function readPlan(args: string[]): Plan | undefined {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      sets: { type: 'string' },
      keys: { type: 'string', default: '1e5' },
      rounds: { type: 'string', default: '9' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    browsers: chosen('only', values.only, Object.keys(launches)),
    sets: chosen('sets', values.sets, SETS),
    keys: readCount('keys', values.keys, 1e6),
    rounds: readCount('rounds', values.rounds, 1000),
  };
}

function jobFor(set: string, { keys, rounds }: Plan): Job {
  const made = makeSet(set, keys);
  if (made === undefined) throw new RangeError(`there are not ${integer.format(keys)} ${set}`);
  const [present, again, absent] = [made.present, made.again, made.absent].map((batch) => batch.many as string[]);
  return { present, again, absent, errorRate: ERROR_RATE, slice: SLICE, rounds } as Job;
}

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
  // An isolated page has a finer clock.
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

async function sectionsFor(name: string, script: string, plan: Plan, jobs: readonly Job[]): Promise<string[]> {
  const browser = await (launches[name] as Launch)();
  try {
    const sections: string[] = [];
    for (const engine of ENGINES) {
      status(`${name}, ${engine} …`);
      const results = await runPage(browser, script, engine, jobs);
      for (const [i, { contenders, measured, clock }] of results.entries()) {
        const rows = contenders.map((contender) => ({ name: contender }));
        sections.push(
          `## ${name} ${browser.version}, ${engine}: ${plan.sets[i]}`,
          `${aboutSets[plan.sets[i] ?? '']}. The clock's step is ${clock.toFixed(0)} µs.`,
          slicesTable(rows, contenders.indexOf('bloomfilter'), measured),
        );
      }
    }
    return sections;
  } finally {
    await browser.close();
  }
}

async function report(plan: Plan): Promise<string> {
  status('making the pages and the keys …');
  const script = await bundle({ entry: fileURLToPath(new URL('browsers-page.ts', import.meta.url)), format: 'esm' });
  const jobs = plan.sets.map((set) => jobFor(set, plan));
  const sections: string[] = [];
  for (const name of plan.browsers) sections.push(...(await sectionsFor(name, script, plan, jobs)));
  return [
    '# bloomery: browsers',
    describeMachine(thisMachine()),
    `${integer.format(plan.keys)} keys; the filters take turns every ${integer.format(SLICE)}, for ${plan.rounds} rounds, ` +
      `error rate ${100 * ERROR_RATE} %. ${legend}`,
    ...sections,
  ].join('\n\n');
}

const plan = planOf(USAGE, readPlan);
if (plan !== undefined) await printed(() => report(plan));
