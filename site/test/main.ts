// The tests of the site: `npm run test:site`. After the unit tests, they drive the built site in real browsers: Chromium
// for all checks, the others for what may differ there. `--only firefox` runs one.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runSome } from '../../test/runtimes/at-a-time.ts';
import type { LaunchDriven } from '../../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../../test/runtimes/browsers/chromium.ts';
import { launchFirefox } from '../../test/runtimes/browsers/firefox.ts';
import { temporaryFolder } from '../../test/runtimes/browsers/processes.ts';
import { launchWebKit } from '../../test/runtimes/browsers/webkit.ts';
import { type Outcome, runChecks } from '../../test/runtimes/checks/check.ts';
import type { Count } from '../../test/runtimes/verdict.ts';
import { misused, optionsOf } from '../../test/shared/options.ts';
import * as benchmark from './checks/benchmark.ts';
import * as calculator from './checks/calculator.ts';
import * as documentation from './checks/documentation.ts';
import * as filtering from './checks/filtering.ts';
import * as firstPage from './checks/first-page.ts';
import * as header from './checks/header.ts';
import * as how from './checks/how.ts';
import * as looks from './checks/looks.ts';
import * as names from './checks/names.ts';
import * as offline from './checks/offline.ts';
import * as pictures from './checks/pictures.ts';
import { writeFiles } from './files.ts';
import { FilterPage } from './filter-page.ts';
import { SitePage } from './page.ts';
import { serveSite } from './server.ts';
import type { Group } from './world.ts';

/** A browser, which Chromium is twice, so that both processors have something to do. */
interface Target {
  readonly name: string;
  readonly launch: LaunchDriven;
  /** Whether it shows dark colors. Chromium shows both. */
  readonly dark?: boolean;
  /** Whether it can be told where downloads go. */
  readonly hasDownloads: boolean;
  readonly groups: readonly Group[];
}

const uses = [filtering, offline, firstPage, names, calculator, benchmark, documentation, header, how];
const appearance = [looks, pictures];
const chromium = { name: 'chromium', launch: launchChromium, hasDownloads: true };
const others = { dark: true, groups: [...uses, ...appearance] };
const targets: readonly Target[] = [
  { ...chromium, groups: appearance },
  { ...others, name: 'webkit', launch: launchWebKit, hasDownloads: false },
  { ...chromium, groups: uses },
  { ...others, name: 'firefox', launch: launchFirefox, hasDownloads: true },
];

let passed = 0;
/** What failed, to be printed again at the end, where it is found in a long log. */
const failures: string[] = [];

function take({ name, error, detail }: Outcome, where: string): void {
  const note = error === undefined ? detail : `FAILED: ${error}`;
  const line = `${where}: ${name}${note === undefined ? '' : ` – ${note}`}`;
  console.log(line);
  if (error === undefined) passed++;
  else failures.push(line);
}

/** Runs the unit tests, prints what they print, and counts them. A run that ends without a count is a failure. */
function runUnitTests(): Count {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'site'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  process.stdout.write(stdout);
  const [, good = 0, bad = 1] = /^(\d+) passed, (\d+) failed\s*$/m.exec(stdout) ?? [];
  return { passed: Number(good), failed: status === 0 ? Number(bad) : Math.max(Number(bad), 1) };
}

const known = [...new Set(targets.map(({ name }) => name))];
const USAGE = `Usage: npm run test:site -- [--only NAME,...]

Runs the unit tests, and checks the built site in some browsers, or in all: ${known.join(', ')}.`;
const { values } = optionsOf(USAGE, { options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? known;
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) misused(`There is no browser '${unknown}'.`, USAGE);

const units = runUnitTests();

const folder = temporaryFolder();
const server = await serveSite();
const shared = { server, ...writeFiles(folder.path) };

async function runIn({ name, launch, dark = false, hasDownloads, groups }: Target): Promise<void> {
  const downloads = hasDownloads ? temporaryFolder().path : undefined;
  try {
    const browser = await launch({ dark, ...(downloads !== undefined && { downloads }) });
    const [page, filterPage] = [new SitePage(browser, server.url), new FilterPage(browser, server.url)];
    const world = { browser, page, filterPage, downloads, ...shared };
    try {
      for (const { inEach, inChromium, inOthers } of groups) {
        const checks = { ...inEach, ...(name === 'chromium' ? inChromium : inOthers) };
        for (const [what, run] of Object.entries(checks)) {
          for (const outcome of await runChecks([[what, () => run(world)]])) take(outcome, name);
        }
      }
    } finally {
      await browser.close();
    }
  } catch (error) {
    take({ name: 'the browser starts', error: String(error) }, name);
  }
}

// A browser often waits for its driver, so more of them run at a time than there are processors.
const chosen = targets.filter(({ name }) => wanted.includes(name));
await runSome(3, chosen, runIn);
server.close();
folder.remove();
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
const failed = units.failed + failures.length;
console.log(`${units.passed + passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
