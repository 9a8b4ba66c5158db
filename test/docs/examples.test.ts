import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Results } from '../../examples/npm-names/measure.ts';
import { install } from '../../tools/install.ts';
import { upperQuantile } from '../shared/binomial.ts';

/** Runs a program of an example, which exits with 1 if what it requires does not hold, and returns its output. */
function outputOf(program: string, ...args: string[]): string {
  const path = program.includes('/') ? program : `${program}/measure`;
  const command = ['--import', 'tsx', `examples/${path}.ts`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** What an example prints as an error, and its exit code, with arguments that it refuses. */
async function refusal(
  args: readonly string[],
  load: () => Promise<unknown>,
): Promise<[message: string, code: unknown]> {
  const { argv, exitCode } = process;
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    process.exitCode = code ?? undefined;
    throw new Error('exit');
  });
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const error = vi.spyOn(console, 'error').mockReturnValue();
  try {
    process.argv = [...argv.slice(0, 2), ...args];
    vi.resetModules();
    await load().catch(({ message }) => expect(message).toBe('exit'));
    expect(log).not.toHaveBeenCalled();
    return [error.mock.calls.join('\n'), process.exitCode];
  } finally {
    Object.assign(process, { argv, exitCode });
    for (const spy of [exit, log, error]) spy.mockRestore();
  }
}

/** The number in the row that begins with `label`. */
function numberIn(output: string, label: string): number {
  const row = output.split('\n').find((line) => line.trimStart().startsWith(`${label} `));
  const value = /^[\d,]+(?= |$)/.exec(row?.trimStart().slice(label.length).trimStart() ?? '');
  if (value === null) throw new Error(`no number in a row '${label}' in\n${output}`);
  return Number(value[0].replaceAll(',', ''));
}

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  // Programs for Linux.
  const programs = process.platform === 'linux' ? ['test/runtimes', 'test/runtimes/native'] : [];
  for (const each of ['examples', 'examples/parquet', 'test/redis', ...programs]) install(each);
}, 300_000);

/** The lines that npm-names prints of its results, which fit a screen. */
async function screenOf(results: Results, seed: number): Promise<string[]> {
  const { print } = await import('../../examples/npm-names/print.ts');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  print(results, seed);
  const rows = log.mock.calls.join('\n').split('\n');
  log.mockRestore();
  expect(rows.length).toBeLessThanOrEqual(24);
  for (const row of rows) expect(row.length, row).toBeLessThanOrEqual(80);
  return rows;
}

describe('the examples', () => {
  it('crawler: misses few pages, and goes on where it stopped', () => {
    const output = outputOf('crawler', '1000');
    const [fetched, missed] = [numberIn(output, 'pages fetched'), numberIn(output, 'pages missed')];
    expect([fetched + missed, missed <= 1]).toEqual([1000, true]);
    expect(numberIn(output, 'stopped after')).toBeLessThan(fetched);
  });

  it('crawler: resumes from the state saved last, and keeps no older filter', async () => {
    const { resume, save, start } = await import('../../examples/crawler/crawler.ts');
    const state = join(folder, 'crawl');
    expect(await resume(state)).toBeUndefined();
    await save(start('https://example.org/', 10), state);
    const crawl = start('https://example.org/?utm_source=a#b', 10);
    crawl.waiting.push('https://example.org/2');
    await save(crawl, state);
    const resumed = await resume(state);
    expect(resumed?.waiting).toEqual(['https://example.org/', 'https://example.org/2']);
    expect(resumed?.seen.has('https://example.org/')).toBe(true);
    expect(readdirSync(state)).toHaveLength(2);
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
      return ['https://example.org/#top', 'https://example.org/2'];
    });
    expect(fetched).toEqual(['https://example.org/', 'https://example.org/2']);
  });

  it('fleet: processes share the work, and miss few pages', () => {
    const output = outputOf('fleet', '1000');
    const [fetched, missed] = [numberIn(output, 'pages fetched'), numberIn(output, 'pages missed')];
    expect([fetched + missed, missed <= upperQuantile(1000, 0.001)]).toEqual([1000, true]);
    const shares = /pages fetched +[\d,]+ {2}([\d,]+(?: \+ [\d,]+){3})/.exec(output)?.[1]?.split(' + ') ?? [];
    expect(shares.filter((share) => share !== '0')).toHaveLength(4);
  });

  it('fleet: lets wait what is known to be new if adding fails', async () => {
    const { offer } = await import('../../examples/fleet/fleet.ts');
    const { RedisFilterError } = await import('bloomery/redis');
    const answers = { done: Uint8Array.of(1, 1, 0), flags: Uint8Array.of(1, 0, 0) };
    const failure = new RedisFilterError('TIMEOUT', 'no answer', { answers });
    const pushed: string[] = [];
    const crawl = {
      seen: { dedupe: () => Promise.reject(failure) },
      waiting: { push: async (urls: readonly string[]) => pushed.push(...urls) },
    };
    await expect(offer(crawl as never, ['new', 'seen', 'unknown', 'not sent'])).rejects.toBe(failure);
    expect(pushed).toEqual(['new']);
  });

  it('user-guard: answers most requests by the filter', () => {
    const output = outputOf('user-guard', '5000');
    expect(numberIn(output, 'answered by the filter')).toBeGreaterThan(8500);
    const [, low, high] = /95 % interval: ([\d.]+) % to ([\d.]+) %/.exec(output) ?? [];
    // A fuse filter of 7 bits errs at 2^-7 = 0.78 %, and the names that were added since at up to 0.1 %.
    expect(Number(low)).toBeLessThan(0.88);
    expect(Number(high)).toBeGreaterThan(0.78);
  });

  it('leaked-passwords: opens a file by one request, and errs seldom', () => {
    const output = outputOf('leaked-passwords', '50000');
    expect(numberIn(output, 'others that look leaked')).toBeLessThanOrEqual(upperQuantile(500, 0.001));
    // The file has fewer pages than there are questions.
    expect(output).toMatch(/To open it\n +requests +1 {2}512 B/);
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

  it.each([
    ['threads', '1000000', 'contested names that a thread got', 191, 200],
    // The keys are the same in every run; 500 are expected at 1 %.
    ['service', '50000', 'others that look present', 0, 999],
  ])('%s: with a size of %s, there are the right number of %s', (name, size, label, least, most) => {
    const number = numberIn(outputOf(name, size), label);
    expect([number >= least, number <= most], `${number}`).toEqual([true, true]);
  });

  it('nickname: answers mostly without the database', () => {
    const output = outputOf('nickname', '1000');
    const requests = numberIn(output, 'one for each keystroke');
    expect(numberIn(output, 'answered by the filter: free')).toBeGreaterThan(0.9 * requests);
    expect(numberIn(output, 'free after all: asked in vain')).toBeLessThan(0.03 * requests);
    expect(numberIn(output, 'nicknames claimed')).toBeGreaterThan(25);
  });

  it('disposable-mail: refuses no other domains, in a fifth of the size', () => {
    const output = outputOf('disposable-mail');
    expect(numberIn(output, 'disposable domains')).toBeGreaterThan(100_000);
    expect(numberIn(output, 'domains of other mail providers')).toBeGreaterThan(5000);
    expect(output).toContain(' 0 refused');
    expect(numberIn(output, 'the filter, as a file')).toBeLessThan(numberIn(output, "the package's JSON") / 5);
  });

  it('disposable-mail: recognizes a domain by its parents, in any case and any script', () => {
    const addresses = ['a@a.b.MAILINATOR.com', 'a@mailinator.com.example.org', 'a@thepiratébay.org', 'a@gmail.com'];
    const verdicts = outputOf('disposable-mail', ...addresses)
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[1]);
    expect(verdicts).toEqual(['disposable', 'welcome', 'disposable', 'welcome']);
  });

  it('feed: wrongly omits few items, and shows again those from before the window', () => {
    const output = outputOf('feed', '1000');
    expect(numberIn(output, 'repeats after that, which are allowed')).toBeGreaterThan(0);
    const forgotten = numberIn(output, 'ranked items not among the last 400');
    expect(numberIn(output, 'of which were left out wrongly')).toBeLessThan(0.01 * forgotten);
  });

  it('database-guard: makes few queries in vain', () => {
    const output = outputOf('database-guard', '5000');
    const saved = numberIn(output, 'saved by the filter');
    expect(numberIn(output, 'asked of the database in vain')).toBeLessThan(0.03 * saved);
  });

  it('database-guard: rolls back if a name cannot be inserted', async () => {
    const { GuardedTable } = await import('../../examples/database-guard/database-guard.ts');
    const { openDatabase } = await import('../../examples/database-guard/sqlite.ts');
    const database = openDatabase(join(folder, 'guarded.sqlite'));
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

  it('sessions: refuses most other ids without the store', () => {
    const output = outputOf('sessions', '5000');
    const refused = numberIn(output, 'refused by the filter');
    const inVain = numberIn(output, 'asked of the store in vain');
    expect(inVain).toBeLessThanOrEqual(upperQuantile(refused + inVain, 0.001));
  });

  it('sessions: takes more than it was made for, and forgets an id only if it was open', async () => {
    const { Sessions } = await import('../../examples/sessions/sessions.ts');
    const users = new Map<string, string>();
    const store = {
      insert: (id: string, user: string) => void users.set(id, user),
      find: (id: string) => users.get(id),
      delete: (id: string) => users.delete(id),
      ids: () => users.keys(),
    };
    const sessions = new Sessions(store, 1);
    const { byteLength } = sessions;
    const ids = Array.from({ length: 100 }, (_, i) => `id ${i}`);
    for (const id of ids) sessions.login(id, `user of ${id}`);
    expect(sessions.byteLength).toBeGreaterThan(byteLength);
    expect(ids.map((id) => sessions.userOf(id))).toEqual(ids.map((id) => `user of ${id}`));
    expect([sessions.logout('id 7'), sessions.logout('id 7'), sessions.logout('id 1000')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([sessions.count, sessions.userOf('id 7'), sessions.userOf('id 8')]).toEqual([99, undefined, 'user of id 8']);
    // After a restart, the store holds more than the filter is made for.
    const again = new Sessions(store, 10);
    expect([again.count, again.userOf('id 7'), again.userOf('id 8')]).toEqual([99, undefined, 'user of id 8']);
  });

  it('strangers: the attacks work without a secret, and not with one', () => {
    expect(outputOf('strangers', '1000')).toContain('a cuckoo filter with room for 100,000 takes');
  });

  it('redirects: reads little of the table', () => {
    const output = outputOf('redirects', '20000');
    const redirected = numberIn(output, 'requests redirected');
    expect(redirected).toBeGreaterThan(900);
    expect(numberIn(output, 'of which in vain')).toBeLessThanOrEqual(upperQuantile(20_000 - redirected, 0.002));
  });

  it('redirects: keeps the query, unless the target has one', async () => {
    const { pack, redirector } = await import('../../examples/redirects/redirects.ts');
    const { filter, parts } = pack(
      new Map([
        ['/a', '/b'],
        ['/c', 'https://example.net/d?e=1'],
      ]),
    );
    const redirect = redirector(filter, parts.length, async (part) => parts[part] ?? {});
    const targets = ['/a?x=1#y', '/c?x=1', '/constructor'].map((path) => redirect(`https://example.org${path}`));
    const locations = (await Promise.all(targets)).map((response) => response?.headers.get('location'));
    expect(locations).toEqual(['https://example.org/b?x=1', 'https://example.net/d?e=1', undefined]);
  });

  it.runIf(process.platform === 'linux')('known-paths: saves reads in KV', () => {
    const output = outputOf('known-paths', '2000');
    const missing = numberIn(output, 'paths that do not exist');
    expect(missing).toBeGreaterThan(7800);
    expect(numberIn(output, 'reads in vain')).toBeLessThanOrEqual(upperQuantile(missing, 0.001));
    expect(numberIn(output, 'reads saved')).toBeGreaterThan(7700);
  });

  it.runIf(process.platform === 'linux')('native-screen: errs seldom in Hermes', () => {
    const free = numberIn(outputOf('native-screen', '5000'), 'free names');
    expect(free).toBeGreaterThanOrEqual(5000 - upperQuantile(5000, 0.01));
  });

  it('blocklist: ships a file of a third of the gzipped list', () => {
    const output = outputOf('blocklist');
    const fuse = numberIn(output, 'BinaryFuseFilter');
    expect(fuse).toBeLessThan(numberIn(output, 'BloomFilter'));
    expect(fuse).toBeLessThan(numberIn(output, 'the list, gzipped') / 3);
  });

  it('arrow: finds the same rows in a column as in its strings', () => {
    const output = outputOf('arrow', '5000');
    expect(output.match(/rows found +2,[45]\d\d/g)).toHaveLength(3);
    expect(output).toContain('LargeUtf8, from IPC bytes: 2 chunk(s)');
  });

  it('parquet: prunes by the filters of DuckDB, and writes filters by which hyparquet and DuckDB prune', () => {
    const [file = '', ...sections] = outputOf('parquet/main').split('\n\n');
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
  });

  it('npm-names: prints one screen, with every present name found', async () => {
    const { loadNames } = await import('../../examples/names.ts');
    const { makeCorpus } = await import('../../examples/npm-names/corpus.ts');
    const { measure } = await import('../../examples/npm-names/measure.ts');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const corpus = makeCorpus(loadNames().slice(0, 100_000), 7);
    const rows = await screenOf(measure(corpus), 7);
    write.mockRestore();
    const screen = rows.join('\n');
    expect(numberIn(screen, 'present, but not found')).toBe(0);
    const [, falsePositives = ''] = /absent, but found +([\d,]+) +[\d.]+ % +promised: 1 %/.exec(screen) ?? [];
    expect(Number(falsePositives)).toBeLessThanOrEqual(upperQuantile(corpus.absent.length, 0.01));
    expect(rows.at(-1)).toContain('--seed 7');
  });

  it('npm-names: prints losses, on the same screen', async () => {
    const timesOf = (ns: number) => {
      const rounds = [ns, ns, ns, 90 * ns, 90 * ns];
      return { add: [ns], present: rounds, absent: rounds };
    };
    const times = { set: timesOf(1000), single: timesOf(1500), batch: timesOf(3000), lines: timesOf(2000) };
    const counts = { presentNames: 9_000_000, absentNames: 1_000_000, missed: 1, falsePositives: 10_001 };
    const results = { ...counts, times, promisedErrorRate: 0.01, filterBytes: 1e7, setBytes: 4e8 };
    const rows = await screenOf(results, 999_999_999);
    expect(rows).toContain('  Losses, one by one to Set: add 1.50 ×, present 1.50 ×, absent 1.50 ×');
    expect(rows).toContain('  Losses, in batches to one by one: add 2.00 ×, present 2.00 ×, absent 2.00 ×');
  });

  it('npm-names: says whether names are taken', () => {
    const stdout = outputOf('npm-names/main', 'react', 'some-free-name');
    expect(stdout).toMatch(/^react +taken, most likely/);
    expect(stdout).toMatch(/^some-free-name +free, certainly/m);
  });

  it.each(['--seed x', '--seed 7 react', '--sed'])('npm-names: refuses %s', async (args) => {
    const [message, code] = await refusal(args.split(' '), () => import('../../examples/npm-names/main.ts'));
    expect([message, code]).toEqual([expect.stringContaining('Usage: npm start'), 2]);
  });

  it('disposable-mail and blocklist refuse arguments that they do not know', async () => {
    const mail = await refusal(['nobody'], () => import('../../examples/disposable-mail/measure.ts'));
    expect(mail).toEqual([expect.stringMatching(/^Not a mail address: 'nobody'\. .*$/), 2]);
    const blocklist = await refusal(['all'], () => import('../../examples/blocklist/measure.ts'));
    expect(blocklist).toEqual(['This takes no arguments.', 2]);
  });

  it.each(['x', '999', '1e99', '1000.5', '1000 2000'])('any: refuses a size of %s', async (args) => {
    const load = async () => (await import('../../examples/report.ts')).sizeArgument('keys', 5000);
    const message = 'The only argument is the number of keys: a whole number from 1000 on (default: 5000).';
    expect(await refusal(args.split(' '), load)).toEqual([message, 2]);
  });

  it('any: exits with 1 if a check fails', async () => {
    const load = async () => (await import('../../examples/report.ts')).must(false, 'a claim');
    expect(await refusal([], load)).toEqual(['\nThis does not hold: a claim', 1]);
  });
});
