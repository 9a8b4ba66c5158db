import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { install } from '../../tools/install.ts';
import { temporaryFolder } from '../cli/run.ts';
import { upperQuantile } from '../shared/binomial.ts';

/** Runs a program of an example: `NAME ARGUMENT…`, or `NAME/FILE ARGUMENT…`. */
function run(line: string) {
  const [program = '', ...args] = line.split(' ');
  const path = program.includes('/') ? program : `${program}/measure`;
  return spawnSync(process.execPath, ['--import', 'tsx', `examples/${path}.ts`, ...args], { encoding: 'utf8' });
}

/** What a program prints, which exits with 1 if what it requires does not hold. */
function outputOf(line: string): string {
  const { status, stdout, stderr } = run(line);
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** The number in the row that begins with `label`. */
function numberIn(output: string, label: string): number {
  const row = output.split('\n').find((line) => line.trimStart().startsWith(`${label} `));
  const value = /^[\d,]+(?= |$)/.exec(row?.trimStart().slice(label.length).trimStart() ?? '');
  if (value === null) throw new Error(`no number in a row '${label}' in\n${output}`);
  return Number(value[0].replaceAll(',', ''));
}

const { path, remove } = temporaryFolder();
afterAll(remove);

beforeAll(() => {
  // Programs for Linux.
  const programs = process.platform === 'linux' ? ['test/runtimes', 'test/runtimes/native'] : [];
  for (const each of ['examples', 'examples/parquet', 'test/redis', ...programs]) install(each);
}, 300_000);

/** Looks up the number in the row of an output that begins with a label. */
type Row = (label: string) => number;

/** Programs with their sizes, and what must hold beside what they check themselves. */
const programs: Readonly<Record<string, (row: Row, output: string) => void>> = {
  'crawler 1000': (row) => {
    expect(row('pages fetched') + row('pages missed')).toBe(1000);
    expect(row('pages missed')).toBeLessThanOrEqual(1);
    expect(row('stopped after')).toBeLessThan(row('pages fetched'));
  },
  'fleet 1000': (row, output) => {
    expect(row('pages fetched') + row('pages missed')).toBe(1000);
    expect(row('pages missed')).toBeLessThanOrEqual(upperQuantile(1000, 0.001));
    // Each of four processes has fetched some.
    expect(output).toMatch(/pages fetched +[\d,]+ {2}[1-9][\d,]*( \+ [1-9][\d,]*){3}/);
  },
  'redis-move 1000': (row) => {
    // In each of its steps.
    expect(row('times that the program was killed')).toBe(10);
    expect(row('keys added by all clients')).toBeGreaterThanOrEqual(1000);
    expect([row('of which absent'), row('keys new to two clients')]).toEqual([0, 0]);
  },
  'user-guard 5001': (row, output) => {
    expect(row('answered by the filter')).toBeGreaterThan(8500);
    const [, low, high] = /95 % interval: ([\d.]+) % to ([\d.]+) %/.exec(output) ?? [];
    // A fuse filter of 7 bits errs at 2^-7 = 0.78 %.
    expect(Number(low)).toBeLessThan(0.78);
    expect(Number(high)).toBeGreaterThan(0.78);
  },
  'leaked-passwords 50000': (row, output) => {
    expect(row('others that look leaked')).toBeLessThanOrEqual(upperQuantile(500, 0.001));
    // The file has fewer pages than there are questions.
    expect(output).toMatch(/To open it\n +requests +1 {2}512 B/);
    expect(row('others that seem to have leaked')).toBeLessThanOrEqual(upperQuantile(500, 0.001));
  },
  'threads 1000000': (row) => expect(row('contested names that a thread got')).toBeGreaterThan(190),
  // The keys are the same in every run; 500 are expected at 1 %.
  'service 50000': (row) => expect(row('others that look present')).toBeLessThan(1000),
  'nickname 1000': (row) => {
    const requests = row('one for each keystroke');
    expect(row('answered by the filter: free')).toBeGreaterThan(0.9 * requests);
    expect(row('free after all: asked in vain')).toBeLessThan(0.03 * requests);
    expect(row('nicknames claimed')).toBeGreaterThan(25);
  },
  'disposable-mail': (row, output) => {
    expect(row('disposable domains')).toBeGreaterThan(100_000);
    expect(row('domains of other mail providers')).toBeGreaterThan(5000);
    expect(output).toContain(' 0 refused');
    expect(row('the filter, as a file')).toBeLessThan(row("the package's JSON") / 5);
  },
  'disposable-mail a@a.b.MAILINATOR.com a@mailinator.com.example.org a@thepiratébay.org a@gmail.com': (_, output) =>
    expect(output.match(/disposable|welcome/g)).toEqual(['disposable', 'welcome', 'disposable', 'welcome']),
  'feed 1000': (row) => {
    expect(row('repeats after that, which are allowed')).toBeGreaterThan(0);
    const forgotten = row('ranked items not among the last 400');
    expect(row('of which were left out wrongly')).toBeLessThan(0.01 * forgotten);
  },
  'database-guard 5000': (row) =>
    expect(row('asked of the database in vain')).toBeLessThan(0.03 * row('saved by the filter')),
  'sessions 5000': (row) => {
    const inVain = row('asked of the store in vain');
    expect(inVain).toBeLessThanOrEqual(upperQuantile(row('refused by the filter') + inVain, 0.001));
  },
  'strangers 1000': (_, output) => expect(output).toContain('a cuckoo filter with room for 100,000 takes'),
  'redirects 20000': (row) => {
    const redirected = row('requests redirected');
    expect(redirected).toBeGreaterThan(900);
    expect(row('of which in vain')).toBeLessThanOrEqual(upperQuantile(20_000 - redirected, 2 ** -9));
  },
  'blocked-by 20000': (row, output) => {
    expect(row('other domains in some list')).toBeLessThanOrEqual(upperQuantile(20_000, 2 ** -10));
    const [map = 0, ...others] = [...output.matchAll(/the file +([\d,]+) KB$/gm)].map(([, kilobytes = '']) =>
      Number(kilobytes.replaceAll(',', '')),
    );
    expect(others.map((other) => map < other / 10)).toEqual([true, true]);
  },
  blocklist: (row) => {
    expect(row('BinaryFuseFilter')).toBeLessThan(row('BloomFilter'));
    expect(row('BinaryFuseFilter')).toBeLessThan(row('the list, gzipped') / 3);
  },
  'parquet/main': (_, output) => {
    const [file = '', ...sections] = output.split('\n\n');
    expect(file).toMatch(/^A file by DuckDB .*: 100,000 rows/);
    expect([numberIn(file, 'row groups'), numberIn(file, 'filters')]).toEqual([13, 26]);
    const within = (start: string): string[] => sections.filter((section) => section.includes(start));
    const lookups = within('The rows of ').map((lookup) => [
      numberIn(lookup, 'pruned by minimum and maximum'),
      numberIn(lookup, 'pruned by the filters'),
      numberIn(lookup, 'bytes read') < 150_000,
    ]);
    expect(lookups).toEqual(Array(3).fill([0, 12, true]));
    expect(within('2,000 values of ').map((each) => numberIn(each, 'in vain: false positives'))).toEqual([32, 28]);
    expect(within('filters written by bloomery, for 100 values')).toHaveLength(2);
  },
  'npm-names/main react some-free-name': (_, output) => {
    expect(output).toMatch(/^react +taken, most likely/);
    expect(output).toMatch(/^some-free-name +free, certainly/m);
  },
  'arrow 5000': (_, output) => {
    expect(output.match(/rows found +2,[45]\d\d/g)).toHaveLength(3);
    expect(output).toContain('LargeUtf8, from IPC bytes: 2 chunk(s)');
  },
  // These run programs for Linux.
  ...(process.platform === 'linux' && {
    'known-paths 2000': (row: Row) => {
      const missing = row('paths that do not exist');
      expect(missing).toBeGreaterThan(7800);
      expect(row('reads in vain')).toBeLessThanOrEqual(upperQuantile(missing, 0.001));
      expect(row('reads saved')).toBeGreaterThan(7700);
    },
    'native-screen 5000': (row: Row) =>
      expect(row('free names')).toBeGreaterThanOrEqual(5000 - upperQuantile(5000, 0.01)),
  }),
};

describe('the examples', () => {
  it.each(Object.entries(programs))('%s: keeps its promises', (line, check) => {
    const output = outputOf(line);
    check((label) => numberIn(output, label), output);
  });

  it('crawler: loses no page if fetching fails, and stops when its signal is aborted', async () => {
    const { run: crawl, start } = await import('../../examples/crawler/crawler.ts');
    const state = start('https://example.org/', 10);
    await expect(crawl(state, () => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
    await crawl(state, () => Promise.reject(new Error('not asked for')), AbortSignal.abort());
    expect(state.waiting).toEqual(['https://example.org/']);
    const fetched: string[] = [];
    await crawl(state, async (url) => {
      fetched.push(url);
      return [
        'https://example.org/?#top',
        'https://example.org/2?q=b%20c&utm_source=x',
        'https://example.org/2?q=b%20c',
      ];
    });
    expect(fetched).toEqual(['https://example.org/', 'https://example.org/2?q=b%20c']);
  });

  it('fleet: lets wait what is known to be new if adding fails', async () => {
    const { offer } = await import('../../examples/fleet/fleet.ts');
    const { RedisFilterError } = await import('bloomery/redis');
    const answers = { done: Uint8Array.of(1, 1, 0), flags: Uint8Array.of(1, 0, 0) };
    const failure = new RedisFilterError('TIMEOUT', 'no answer', { answers });
    const pushed: string[] = [];
    const push = async (urls: readonly string[]) => pushed.push(...urls);
    const crawl = { seen: { dedupe: () => Promise.reject(failure) }, waiting: { push } };
    await expect(offer(crawl as never, ['new', 'seen', 'unknown', 'not sent'])).rejects.toBe(failure);
    expect(pushed).toEqual(['new']);
  });

  it('leaked-passwords: the page asks for whole passwords, and not for their beginnings', async () => {
    const { BlockedBloomFilter } = await import('../../src/index.ts');
    const { digestOf } = await import('../../examples/leaked-passwords/leaked.ts');
    const file = BlockedBloomFilter.from([await digestOf('secret')], { capacity: 100_000 }).toBytes();
    const asked: string[] = [];
    const input = Object.assign(new EventTarget(), { value: '' });
    const output = { value: '' };
    vi.stubGlobal('document', { querySelector: (name: string) => (name === 'input' ? input : output) });
    vi.stubGlobal('location', { href: 'https://example.org/' });
    vi.stubGlobal('fetch', async (url: string, { headers: { range } }: { headers: { range: string } }) => {
      asked.push(`${url} ${range}`);
      const [first = 0, last = 0] = (range.match(/\d+/g) ?? []).map(Number);
      const headers = { etag: '"1"', 'content-range': `bytes ${first}-${last}/${file.length}` };
      return new Response(file.slice(first, last + 1), { status: 206, headers });
    });
    try {
      await import('../../examples/leaked-passwords/page.ts');
      const answerTo = async (password: string): Promise<string> => {
        for (let length = 1; length <= password.length; length++) {
          input.value = password.slice(0, length);
          input.dispatchEvent(new Event('input'));
        }
        input.dispatchEvent(new Event('change'));
        await vi.waitUntil(() => output.value);
        return output.value;
      };
      expect(await answerTo('secret')).toBe('Probably leaked: choose another one.');
      expect(await answerTo('another one')).toBe('Not in the list.');
      expect(asked).toHaveLength(3);
      expect(asked[0]).toBe('https://example.org/leaked.bloom bytes=0-511');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('database-guard: rolls back if a name cannot be inserted', async () => {
    const { GuardedTable } = await import('../../examples/database-guard/database-guard.ts');
    const { openDatabase } = await import('../../examples/database-guard/sqlite.ts');
    const database = openDatabase(path('guarded.sqlite'));
    const table = new GuardedTable(database, 100);
    table.insertAll(['a']);
    expect(() => table.insertAll(['b', 'a'])).toThrow('UNIQUE');
    expect(table.get('b')).toBeUndefined();
    expect(table.get('a')).toMatchObject({ name: 'a' });
    const again = new GuardedTable(database, 100);
    again.insertAll(['b']);
    expect(again.get('b')).toMatchObject({ name: 'b' });
    database.close();
  });

  it('redirects: keeps the query, unless the target has one', async () => {
    const { pack, redirector } = await import('../../examples/redirects/redirects.ts');
    const { places, table } = pack(new Map([['/a', '/b']]).set('/c', 'https://example.net/d?e=1').set('/ü b', '/f'));
    const redirect = redirector(places, async (from, to) => table.subarray(from, to));
    const targets = ['/a?x=1#y', '/c?x=1', '/ü b', '/constructor'].map((path) =>
      redirect(`https://example.org${path}`),
    );
    const locations = (await Promise.all(targets)).map((response) => response?.headers.get('location'));
    const [b, d, f] = ['https://example.org/b?x=1', 'https://example.net/d?e=1', 'https://example.org/f'];
    expect(locations).toEqual([b, d, f, undefined]);
    for (const [path, target] of [
      ['/a', '/\t'],
      ['/a', '/\n'],
      ['/a', '/'.repeat(2048)],
      ['/a?x=1', '/'],
    ] as const) {
      expect(() => pack(new Map([[path, target]]))).toThrow(`the redirect of ${path} `);
    }
  });

  it('npm-names: prints one screen, with every present name found', async () => {
    const { loadNames } = await import('../../examples/names.ts');
    const { makeCorpus } = await import('../../examples/npm-names/corpus.ts');
    const { measure } = await import('../../examples/npm-names/measure.ts');
    const { print } = await import('../../examples/npm-names/print.ts');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const corpus = makeCorpus(loadNames().slice(0, 100_000), 7);
    const log = vi.spyOn(console, 'log').mockReturnValue();
    print(measure(corpus), 7);
    const screen = log.mock.calls.join('\n');
    for (const spy of [log, write]) spy.mockRestore();
    const rows = screen.split('\n');
    expect(rows.length).toBeLessThanOrEqual(24);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    expect(numberIn(screen, 'present, but not found')).toBe(0);
    const [, falsePositives = ''] = /absent, but found +([\d,]+) +[\d.]+ % +promised: 1 %/.exec(screen) ?? [];
    expect(Number(falsePositives)).toBeLessThanOrEqual(upperQuantile(corpus.absent.length, 0.01));
    expect(rows.at(-1)).toContain('--seed 7');
  });

  it.each([
    ...['--seed x', '--seed 7 react', '--sed'].map((args) => [`npm-names/main ${args}`, 'Usage: npm start']),
    ['disposable-mail nobody', "Not a mail address: 'nobody'. "],
    ['blocklist all', 'This takes no arguments.'],
    ...['x', '999', '1e99', '1000.5', '1000 2000'].map((size) => [
      `feed ${size}`,
      'The only argument is the number of users: a whole number from 1000 on (default: 2000).',
    ]),
  ] as [string, string][])('%s: is refused', (line, message) => {
    const { status, stdout, stderr } = run(line);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('any: exits with 1 if a check fails', async () => {
    const { must } = await import('../../examples/report.ts');
    const error = vi.spyOn(console, 'error').mockReturnValue();
    must(false, 'a claim');
    expect([error.mock.lastCall, process.exitCode]).toEqual([['\nThis does not hold: a claim'], 1]);
    error.mockRestore();
    process.exitCode = 0;
  });
});
