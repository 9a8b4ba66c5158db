import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { upperQuantile } from '../shared/binomial.ts';

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--import', 'tsx', ...args], { encoding: 'utf8' });
}

/** Measures an example, expects it to succeed, and returns its output. */
function outputOf(name: string, ...args: string[]): string {
  const { status, stdout, stderr } = run(`examples/${name}/measure.ts`, ...args);
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

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  execFileSync(
    process.execPath,
    [
      ...['--import', 'tsx', 'tools/install.ts', 'examples', 'examples/parquet', 'test/redis'],
      // Programs for Linux.
      ...(process.platform === 'linux' ? ['test/runtimes', 'test/runtimes/native'] : []),
    ],
    {
      stdio: 'inherit',
    },
  );
}, 300_000);

describe('the examples', () => {
  it('crawler: fetches no page twice, and misses few pages', () => {
    const output = outputOf('crawler', '1000');
    const fetched = numberIn(output, 'pages fetched');
    expect(numberIn(output, 'pages fetched twice')).toBe(0);
    expect(output).toContain('1 request a page at most');
    expect(numberIn(output, 'pages missed')).toBeLessThanOrEqual(1);
    expect(fetched + numberIn(output, 'pages missed')).toBe(1000);
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

  it('fleet: processes together fetch no page twice, and miss few pages', () => {
    const output = outputOf('fleet', '2000');
    const fetched = numberIn(output, 'pages fetched');
    expect(numberIn(output, 'pages fetched twice')).toBe(0);
    expect(output).toContain('1 request a page at most');
    expect(numberIn(output, 'pages missed')).toBeLessThanOrEqual(upperQuantile(2000, 0.001));
    expect(fetched + numberIn(output, 'pages missed')).toBe(2000);
    expect(numberIn(output, 'pages in a local copy of the filter')).toBe(fetched);
    const [, ...shares] = /pages fetched +[\d,]+ {2}([\d,]+) \+ ([\d,]+) \+ ([\d,]+) \+ ([\d,]+)/.exec(output) ?? [];
    expect(shares).toHaveLength(4);
    for (const share of shares) expect(Number(share)).toBeGreaterThan(0);
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

  it('user-guard: finds every user while the filter is rebuilt', () => {
    const output = outputOf('user-guard', '5000');
    expect(numberIn(output, 'wrong answers')).toBe(0);
    expect(numberIn(output, 'answered by the filter')).toBeGreaterThan(8500);
    expect(numberIn(output, 'queries for 10,000 requests of one name')).toBe(1);
    expect(numberIn(output, 'users that were not found afterwards')).toBe(0);
    const [, low, high] = /95 % interval: ([\d.]+) % to ([\d.]+) %/.exec(output) ?? [];
    // A fuse filter of 7 bits errs at 2^-7 = 0.78 %, and the names that were added since at up to 0.1 %.
    expect(Number(low)).toBeLessThan(0.88);
    expect(Number(high)).toBeGreaterThan(0.78);
  });

  it('leaked-passwords: misses no password of the list, and sends 4 KiB an answer at most', () => {
    const output = outputOf('leaked-passwords', '50000');
    expect(numberIn(output, 'leaked passwords missed')).toBe(0);
    expect(numberIn(output, 'others that look leaked')).toBeLessThanOrEqual(upperQuantile(500, 0.001));
    // The file has fewer pages than there are questions.
    expect(output).toMatch(/To open it\n +requests +1 {2}512 B/);
    expect(Number(/([\d,]+) B an answer/.exec(output)?.[1]?.replace(',', ''))).toBeLessThanOrEqual(4096);
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
    vi.stubGlobal('fetch', async (url: string, { headers }: { headers: { range: string } }) => {
      asked.push(`${url} ${headers.range}`);
      const [first = 0, last = 0] = (headers.range.match(/\d+/g) ?? []).map(Number);
      const range = `bytes ${first}-${last}/${file.length}`;
      return new Response(file.slice(first, last + 1), {
        status: 206,
        headers: { etag: '"1"', 'content-range': range },
      });
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

  it('threads: finds what another thread has taken', () => {
    const output = outputOf('threads', '1000000');
    expect(numberIn(output, 'names taken')).toBeGreaterThan(1980);
    expect(numberIn(output, 'taken names that another thread missed')).toBe(0);
    expect(numberIn(output, 'contested names that a thread got')).toBeGreaterThan(190);
  });

  it('service: finds all names over HTTP, and few others', () => {
    const output = outputOf('service', '50000');
    expect(numberIn(output, 'found again')).toBe(50_000);
    // The keys are the same in every run; 500 are expected at 1 %.
    expect(numberIn(output, 'others that look present')).toBeLessThan(1000);
  });

  it('nickname: answers correctly, mostly without the database', () => {
    const output = outputOf('nickname', '2000');
    const requests = numberIn(output, 'one for each keystroke');
    const saved = numberIn(output, 'answered by the filter: free');
    const asked = numberIn(output, 'asked of the database');
    expect(saved + asked).toBe(requests);
    expect(saved).toBeGreaterThan(0.9 * requests);
    expect(numberIn(output, 'free after all: asked in vain')).toBeLessThan(0.03 * requests);
    expect(numberIn(output, 'wrong answers')).toBe(0);
    expect(numberIn(output, 'nicknames claimed')).toBeGreaterThan(50);
    expect(numberIn(output, 'taken names that look free')).toBe(0);
    expect(numberIn(output, 'its capacity')).toBeGreaterThan(2000);
  });

  it('disposable-mail: blocks all disposable domains, and no others', () => {
    const output = outputOf('disposable-mail');
    expect(numberIn(output, 'disposable domains')).toBeGreaterThan(100_000);
    expect(output).toContain(' 0 missed, 0 of a.b.DOMAIN');
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

  it('feed: repeats nothing within the window, and wrongly omits few items', () => {
    const output = outputOf('feed', '1000');
    expect(numberIn(output, "repeats within a user's last 300")).toBe(0);
    // Items shown before the window are shown again.
    expect(numberIn(output, 'repeats after that, which are allowed')).toBeGreaterThan(0);
    const forgotten = numberIn(output, 'ranked items not among the last 400');
    expect(numberIn(output, 'of which were left out wrongly')).toBeLessThan(0.01 * forgotten);
  });

  it('database-guard: finds every row, and makes few queries in vain', () => {
    const output = outputOf('database-guard', '5000');
    const saved = numberIn(output, 'saved by the filter');
    const inVain = numberIn(output, 'asked of the database in vain');
    expect(numberIn(output, 'answers that differ without the filter')).toBe(0);
    expect(numberIn(output, 'rows that were not found')).toBe(0);
    expect(inVain).toBeLessThan(0.03 * (saved + inVain));
    expect(output).toContain('same bits');
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

  it('sessions: answers correctly, and refuses most other ids without the store', () => {
    const output = outputOf('sessions', '5000');
    expect(numberIn(output, 'wrong answers')).toBe(0);
    expect(numberIn(output, 'open sessions')).toBe(2500);
    expect(output).toContain('the filter counts 2,500');
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
    const output = outputOf('strangers', '1000');
    const [publicSeed, secretSeed, secret] = [...output.matchAll(/ ([\d.]+) % {2}of all others: /g)].map(([, share]) =>
      Number(share),
    );
    expect([publicSeed, secretSeed]).toEqual([100, 100]);
    expect(secret).toBeLessThan(2);
    expect(output).toMatch(/a cuckoo filter with room for 100,000 takes\n {2}secret seed +8\n {2}secret +4,095\n/);
    const [, filled, kept] =
      /others that look present\n {2}public seed +([\d.]+) %\n {2}secret +([\d.]+) %/.exec(output) ?? [];
    expect(Number(filled)).toBeGreaterThan(10);
    expect(Number(kept)).toBeLessThan(1.5);
  });

  it('redirects: answers as the whole table does, and reads little of it', () => {
    const output = outputOf('redirects', '20000');
    const redirected = numberIn(output, 'requests redirected');
    expect(redirected).toBeGreaterThan(900);
    expect(numberIn(output, 'wrong answers')).toBe(0);
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

  it.runIf(process.platform === 'linux')('known-paths: answers as without the filter, and saves reads in KV', () => {
    const output = outputOf('known-paths', '2000');
    const missing = numberIn(output, 'paths that do not exist');
    expect(numberIn(output, 'wrong answers')).toBe(0);
    expect(missing).toBeGreaterThan(7800);
    expect(numberIn(output, 'reads in vain')).toBeLessThanOrEqual(upperQuantile(missing, 0.001));
    expect(numberIn(output, 'reads saved')).toBeGreaterThan(7700);
  });

  it.runIf(process.platform === 'linux')('native-screen: finds every taken name in Hermes', () => {
    const output = outputOf('native-screen', '5000');
    expect(numberIn(output, 'taken names that look free')).toBe(0);
    expect(numberIn(output, 'free names')).toBeGreaterThanOrEqual(5000 - upperQuantile(5000, 0.01));
  });

  it('blocklist: finds every name in a file of a third of the gzipped list', () => {
    const output = outputOf('blocklist');
    expect(output.match(/ 0 {2}missed; of the others/g)).toHaveLength(4);
    const [fuse, classic, gzipped] = ['BinaryFuseFilter', 'BloomFilter', 'the list, gzipped'].map((label) =>
      numberIn(output, label),
    ) as [number, number, number];
    expect(fuse).toBeLessThan(classic);
    expect(fuse).toBeLessThan(gzipped / 3);
  });

  it('arrow: finds the same rows in a column as in its strings', () => {
    const output = outputOf('arrow', '5000');
    expect(output.match(/rows found +2,[45]\d\d/g)).toHaveLength(3);
    expect(output).toContain('LargeUtf8, from IPC bytes: 2 chunk(s)');
  });

  it('parquet: prunes by the filters of DuckDB, and writes filters by which hyparquet and DuckDB prune', () => {
    const { status, stdout, stderr } = run('examples/parquet/main.ts');
    expect(status, stdout + stderr).toBe(0);
    const [file = '', ...sections] = stdout.split('\n\n');
    expect(file).toMatch(/^A file by DuckDB .*: 100,000 rows/);
    expect([numberIn(file, 'row groups'), numberIn(file, 'filters')]).toEqual([13, 26]);
    const lookups = sections.filter((section) => section.startsWith('The rows of '));
    expect(lookups).toHaveLength(3);
    for (const lookup of lookups) {
      expect(numberIn(lookup, 'pruned by minimum and maximum')).toBe(0);
      expect(numberIn(lookup, 'pruned by the filters')).toBe(12);
      expect(numberIn(lookup, 'rows found')).toBe(4);
      expect(numberIn(lookup, 'bytes read')).toBeLessThan(150_000);
    }
    const errors = sections.filter((section) => section.startsWith('2,000 values of '));
    expect(errors.map((section) => numberIn(section, 'in vain: false positives'))).toEqual([32, 28]);
    expect(errors.map((section) => numberIn(section, 'row groups missed'))).toEqual([0, 0]);
    const written = sections.filter((section) => section.includes('filters written by bloomery, for 100 values'));
    expect(written).toHaveLength(2);
    for (const section of written) {
      expect(numberIn(section, 'hyparquet prunes the same row groups')).toBe(100);
      expect(numberIn(section, 'DuckDB excludes the same row groups')).toBe(100);
      expect(numberIn(section, 'DuckDB selects the right rows')).toBe(100);
    }
  });

  it('parquet: refuses unknown arguments', () => {
    expect(run('examples/parquet/main.ts', '10').status).toBe(2);
  });

  it.each([
    ['crawler', ['x']],
    ['fleet', ['1', '2']],
    ['nickname', ['10']],
    ['feed', ['1000', '2000']],
    ['database-guard', ['1e99']],
    ['arrow', ['0']],
    ['disposable-mail', ['nobody']],
    ['sessions', ['10']],
    ['blocklist', ['all']],
    ['strangers', ['10']],
    ['redirects', ['10']],
    ['known-paths', ['10']],
    ['native-screen', ['10']],
  ])('%s: refuses unknown arguments', (name, args) => {
    const { status, stdout, stderr } = run(`examples/${name}/measure.ts`, ...args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('npm-names: prints one screen, with every present name found', () => {
    const { status, stdout, stderr } = run('examples/npm-names/main.ts', '--seed', '7');
    expect(status, stderr).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.length).toBeLessThanOrEqual(24);
    for (const row of rows) expect(row.length, row).toBeLessThanOrEqual(80);
    expect(numberIn(stdout, 'present, but not found')).toBe(0);
    expect(stdout).toMatch(/absent, but found +[\d,]+ +(0\.9\d*|1|1\.0\d) % +promised: 1 %/);
    expect(rows.at(-1)).toContain('--seed 7');
  }, 300_000);

  it('npm-names: prints losses, on the same screen', async () => {
    const { print } = await import('../../examples/npm-names/print.ts');
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const timesOf = (ns: number) => {
      const rounds = [ns, ns, ns, 90 * ns, 90 * ns];
      return { add: [ns], present: rounds, absent: rounds };
    };
    const times = { set: timesOf(1000), single: timesOf(1500), batch: timesOf(3000), lines: timesOf(2000) };
    const counts = { presentNames: 9_000_000, absentNames: 1_000_000, missed: 1, falsePositives: 10_001 };
    print({ ...counts, times, promisedErrorRate: 0.01, filterBytes: 1e7, setBytes: 4e8 }, 999_999_999);
    const rows = log.mock.calls.flatMap(([text]) => String(text).split('\n'));
    log.mockRestore();
    expect(rows).toContain('  Losses, one by one to Set: add 1.50 ×, present 1.50 ×, absent 1.50 ×');
    expect(rows).toContain('  Losses, in batches to one by one: add 2.00 ×, present 2.00 ×, absent 2.00 ×');
    expect(rows.length).toBeLessThanOrEqual(24);
    for (const row of rows) expect(row.length, row).toBeLessThanOrEqual(80);
  });

  it('npm-names: says whether names are taken', () => {
    const { stdout } = run('examples/npm-names/main.ts', 'react', 'some-free-name');
    expect(stdout).toMatch(/^react +taken, most likely/);
    expect(stdout).toMatch(/^some-free-name +free, certainly/m);
  });

  it.each(['--seed x', '--seed 7 react', '--sed'])('npm-names: refuses %s', (args) => {
    const { status, stdout, stderr } = run('examples/npm-names/main.ts', ...args.split(' '));
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: npm start');
  });

  it('any: exits with 1 if a check fails', () => {
    const { status, stderr } = run('-e', "import('./examples/report.ts').then(({ must }) => must(false, 'a claim'))");
    expect(status, stderr).toBe(1);
    expect(stderr).toContain('This does not hold: a claim');
  });
});
