// The tests of the site: `npm run test:site`. After the unit tests, they drive the built site in real browsers.
// `--only firefox` runs one.

import { parseArgs } from 'node:util';
import { runSome } from '../../test/runtimes/at-a-time.ts';
import type { LaunchDriven } from '../../test/runtimes/browsers/browser.ts';
import { launchChromium } from '../../test/runtimes/browsers/chromium.ts';
import { launchFirefox } from '../../test/runtimes/browsers/firefox.ts';
import { temporaryFolder } from '../../test/runtimes/browsers/processes.ts';
import { launchWebKit } from '../../test/runtimes/browsers/webkit.ts';
import { type Check, type Outcome, runChecks } from '../../test/runtimes/checks/check.ts';
import { countOf } from '../../test/runtimes/verdict.ts';
import { benchmark } from './checks/benchmark.ts';
import { calculator } from './checks/calculator.ts';
import { documentation, searchLooks } from './checks/documentation.ts';
import { errors } from './checks/errors.ts';
import { filtering } from './checks/filtering.ts';
import { firstPage } from './checks/first-page.ts';
import { how, howLooks } from './checks/how.ts';
import { keyboard } from './checks/keyboard.ts';
import { leaked } from './checks/leaked.ts';
import { darkLooks, lightLooks } from './checks/looks.ts';
import { media } from './checks/media.ts';
import { names as namesPage } from './checks/names.ts';
import { offline } from './checks/offline.ts';
import { policy } from './checks/policy.ts';
import { weight } from './checks/weight.ts';
import { type Lists, type WrongFiles, writeLists, writeWrongFiles } from './lists.ts';
import { type SiteServer, serveSite } from './server.ts';
import { runUnitTests } from './unit-tests.ts';
import type { World } from './world.ts';

interface Target {
  readonly launch: LaunchDriven;
  /** Whether it can be told where downloads go. */
  readonly downloads: boolean;
}

/** The slowest one first. */
const targets: Readonly<Record<string, Target>> = {
  webkit: { launch: launchWebKit, downloads: false },
  chromium: { launch: launchChromium, downloads: true },
  firefox: { launch: launchFirefox, downloads: true },
};

const light = [
  weight,
  firstPage,
  filtering,
  errors,
  keyboard,
  calculator,
  namesPage,
  leaked,
  lightLooks,
  media,
  offline,
  policy,
  documentation,
  how,
  benchmark,
];
const dark = [darkLooks, searchLooks, howLooks, benchmark];

interface Shared {
  readonly server: SiteServer;
  readonly lists: Lists;
  readonly wrong: WrongFiles;
}

/** What failed, to be printed again at the end, where it is found in a long log. */
const failures: string[] = [];

function print({ name, error, detail }: Outcome, where: string): void {
  const note = error === undefined ? detail : `FAILED: ${error}`;
  const line = `${where}: ${name}${note === undefined ? '' : ` – ${note}`}`;
  console.log(line);
  if (error !== undefined) failures.push(line);
}

/** Runs groups of checks in a browser of their own. */
async function runIn(
  name: string,
  isDark: boolean,
  groups: readonly ((world: World) => Check[])[],
  shared: Shared,
): Promise<Outcome[]> {
  const { launch, downloads: hasDownloads } = targets[name] as Target;
  const downloads = hasDownloads ? temporaryFolder().path : undefined;
  const where = `${name}${isDark ? ', dark' : ''}`;
  try {
    const browser = await launch({ dark: isDark, ...(downloads !== undefined && { downloads }) });
    try {
      const world: World = { name, browser, downloads, ...shared };
      const outcomes: Outcome[] = [];
      for (const check of groups.flatMap((group) => group(world))) {
        const [outcome] = await runChecks([check]);
        if (outcome === undefined) continue;
        print(outcome, where);
        outcomes.push(outcome);
      }
      return outcomes;
    } finally {
      await browser.close();
    }
  } catch (error) {
    const outcome = { name: 'the browser starts', error: String(error) };
    print(outcome, where);
    return [outcome];
  }
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const names = values.only?.split(',') ?? Object.keys(targets);
const unknown = names.find((name) => !(name in targets));
if (unknown !== undefined) throw new RangeError(`--only takes ${Object.keys(targets).join(', ')}, got '${unknown}'`);

const units = runUnitTests();

const folder = temporaryFolder();
const shared: Shared = {
  server: await serveSite(),
  lists: writeLists(folder.path),
  wrong: writeWrongFiles(`${folder.path}`),
};

// A browser often waits for its driver, so more of them run at a time than there are processors.
const runs = names.flatMap((name) => [false, true].map((isDark) => ({ name, isDark })));
const outcomes = (
  await runSome(3, runs, ({ name, isDark }) => runIn(name, isDark, isDark ? dark : light, shared))
).flat();
shared.server.close();
folder.remove();
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
const checks = countOf(outcomes);
const failed = units.failed + checks.failed;
console.log(`${units.passed + checks.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
