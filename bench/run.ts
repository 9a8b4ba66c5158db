// Runs a benchmark: `npm run bench -- NAME [option]...`. Without a name it runs the main one.

import { execFileSync } from 'node:child_process';
import type { Run } from './shared/cli.ts';

interface Entry {
  /** What the benchmark measures, in a line. */
  readonly about: string;
  /** Folders whose packages it needs, besides examples/ and bench/. */
  readonly folders?: readonly string[];
  /** The npm script to run first; `build` if left out. */
  readonly script?: string;
  load(): Promise<{ readonly default: Run }>;
}

const MAIN = 'main';

const benchmarks: Readonly<Record<string, Entry>> = {
  [MAIN]: {
    about: 'every kind of key against plain JavaScript and Set, then all kinds of filters',
    load: () => import('./main.ts'),
  },
  peers: {
    about: 'what a user picks between: other packages, plain JavaScript, Set; five minutes',
    load: () => import('./peers/main.ts'),
  },
  native: {
    about: 'bloomery against the same algorithms in C++; needs a compiler',
    load: () => import('./native/main.ts'),
  },
  keys: {
    about:
      'keys of every kind in batches of 1 to 100,000, beside single calls and plain JavaScript, on either engine; three minutes',
    load: () => import('./keys.ts'),
  },
  browsers: {
    about: 'both engines against other filters in Chromium, Firefox and WebKit; five minutes',
    folders: ['test/runtimes'],
    load: () => import('./browsers/main.ts'),
  },
  keyed: { about: 'hashing under a secret against hashing without one', load: () => import('./keyed.ts') },
  systems: {
    about: 'filters in the formats of other systems beside a BloomFilter; two minutes',
    load: () => import('./systems.ts'),
  },
  rates: {
    about: 'classic, blocked and wide blocks at three error rates, in the cache and past it',
    load: () => import('./rates/main.ts'),
  },
  kinds: {
    about: 'all kinds, a Set and a Map, at sizes and error rates of your choice',
    load: () => import('./kinds/main.ts'),
  },
  builds: {
    about: 'this checkout against DIR, another one that has been built: what a change costs',
    load: () => import('./builds/main.ts'),
  },
  disk: {
    about: 'a sharded fuse filter, or a map, of N keys built on a disk, and in memory: time, memory, size and errors',
    load: () => import('./disk.ts'),
  },
  threads: {
    about:
      'the command line and buildParallel in several threads against one; 4 GB in the temporary folder, ten minutes',
    load: () => import('./threads/main.ts'),
  },
  redis: {
    about: 'a filter in Redis against plain commands, and moved as a whole; needs redis-server; some minutes',
    folders: ['test/redis'],
    load: () => import('./redis/main.ts'),
  },
  page: {
    about: "the site's own benchmark in Chromium, Firefox and WebKit, for the results that it shows",
    script: 'pretest:site',
    load: () => import('./page.ts'),
  },
  site: {
    about: "the site's filter of a list in Chromium, beside the same in Node",
    script: 'pretest:site',
    load: () => import('./site.ts'),
  },
};

const list = `Benchmarks, and what each measures:

${Object.entries(benchmarks)
  .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  .join('\n')}

npm run bench -- NAME --help shows the options of each. Without a name, the options are those of ${MAIN}.`;

/** Builds and installs what a benchmark needs. Messages go to stderr: stdout is for the results. */
function prepare({ script = 'build', folders = [] }: Entry): void {
  const options = { stdio: ['ignore', 2, 2] as ['ignore', 2, 2], shell: process.platform === 'win32' };
  execFileSync('npm', ['run', '--silent', script], options);
  // Runs with the same TypeScript loader as this file.
  const install = [...process.execArgv, 'tools/install.ts', 'examples', 'bench', ...folders];
  execFileSync(process.execPath, install, { stdio: options.stdio });
}

const given = process.argv.slice(2);
const isNamed = given[0] !== undefined && !given[0].startsWith('-');
const [name = MAIN, ...args] = isNamed ? given : [MAIN, ...given];
const entry = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (entry === undefined) {
  console.error(`There is no benchmark '${name}'.\n\n${list}`);
  process.exitCode = 2;
} else {
  prepare(entry);
  const { default: run } = await entry.load();
  await run(args, `npm run bench --${isNamed ? ` ${name}` : ''}`, entry.about, isNamed ? '' : list);
}
