import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter, lines } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { hashKeys } from 'bloomery/hash';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { StableBloomFilter } from 'bloomery/stable';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { growingSeen, type Seen } from '../../cli/filters/seen.ts';
import { keysOf } from '../../cli/text/records.ts';
import { moveFlagged, selectIn } from '../../cli/text/select.ts';
import { formatWith } from './format.ts';
import { program, run, runOn, start, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join('');
const countLines = (text: Uint8Array): number => text.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);

describe('dedupe', () => {
  it('prints each line once, where it first occurs', async () => {
    const [some, others] = [numbers(0, 20_000), numbers(20_000, 40_000)];
    const { code, stdout, stderr } = await runOn(
      some + others + some,
      'dedupe',
      '-n',
      '40000',
      '--error-rate',
      '1e-12',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString()).toBe(some + others);
  });

  it('prints nothing for empty input, and exits with 1', async () => {
    expect(await run('dedupe')).toEqual({ code: 1, stdout: Buffer.alloc(0), stderr: '' });
  });

  // Each thread has an engine of its own, and two batches. All lines in a Set would take 950 MB.
  it.each([
    [1, 2.5e8],
    [2, 4e8],
  ])(
    'loses at most ten of ten million lines, and none comes twice: %i threads',
    async (threads, mostMemory) => {
      const child = start('dedupe', '--threads', String(threads));
      let printed = 0;
      let last = -1;
      let rest = '';
      let isAscending = true;
      let peak = 0;
      child.stdout?.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        printed += lines.length;
        for (const line of lines) {
          isAscending &&= Number(line) > last;
          last = Number(line);
        }
        if (existsSync(`/proc/${child.pid}/status`)) {
          const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
          peak = Math.max(peak, 1024 * Number(kilobytes));
        }
      });
      for (let from = 0; from < 1e7; from += 1e5) {
        if (!child.stdin?.write(numbers(from, from + 1e5))) await once(child.stdin as NodeJS.WritableStream, 'drain');
      }
      child.stdin?.end();
      expect(await once(child, 'close')).toEqual([0, null]);
      console.log(`lost ${1e7 - printed} of ten million lines, in ${Math.round(peak / 1e6)} MB`);
      expect(isAscending).toBe(true);
      expect(1e7 - printed).toBeLessThanOrEqual(10);
      expect(peak).toBeLessThan(mostMemory);
    },
    120_000,
  );

  it('is not slow when a filter has room for few more keys', async () => {
    // One key short of the default capacity, and many repeated lines: a line at a time, this would take minutes.
    const text = numbers(0, 999_999) + '0\n'.repeat(2_000_000);
    const { stdout } = await runOn(text, 'dedupe', '-n', '1000001');
    expect(countLines(stdout)).toBeGreaterThan(999_990);
  });

  it.each([
    ['lines', []],
    ['fields', ['--field', '1']],
  ])('keeps its error rate far beyond its capacity: %s', async (_name, args) => {
    const text = numbers(0, 200_000);
    const { stdout } = await runOn(text + text, 'dedupe', '-n', '100', '-p', '0.001', ...args);
    const lost = 200_000 - countLines(stdout);
    // 200 are expected at most. The bound is four standard deviations above.
    expect(lost).toBeLessThan(200 + 4 * Math.sqrt(200));
    // Without false positives, this test would say nothing.
    expect(lost).toBeGreaterThan(0);
    expect(new Set(stdout.toString().split('\n')).size).toBe(200_000 - lost + 1);
  });

  it('goes on with classic filters where wide ones err too often', async () => {
    // The rates of its filters begin at 5e-8, and are below 1e-8 from the fourth one on.
    const text = numbers(0, 20_000);
    const { code, stdout } = await runOn(text + text, 'dedupe', '-n', '100', '-p', '1e-7');
    expect(code).toBe(0);
    expect(stdout.toString()).toBe(text);
  });

  it('takes classic filters, which are smaller, when a wide one exceeds the memory that is left', async () => {
    // 10,000 lines take 53 kB in a wide filter, and 38 kB in a classic one.
    const args = ['dedupe', '-n', '10000', '--max-memory', '40k'];
    const { code, stdout } = await runOn(numbers(0, 10_000), ...args);
    expect({ code, lines: countLines(stdout) }).toEqual({ code: 0, lines: 10_000 });
  });

  it('fails before it breaks its promise if memory is bounded', async () => {
    const args = ['dedupe', '--max-memory', '100k', '-p', '1e-9'];
    const { code, stdout, stderr } = await runOn(numbers(0, 50_000), ...args);
    expect(code).toBe(2);
    const [, read = ''] =
      /^bloomery: --max-memory 100 kB is full after ([\d,]+) lines: to read more/.exec(stderr) ?? [];
    expect(stdout.toString()).toBe(numbers(0, Number(read.replace(',', ''))));
    expect(Number(read.replace(',', ''))).toBeGreaterThan(15_000);
    const files = await runOn(numbers(0, 50_000), ...args, '-o', path('bounded'));
    expect(files.code).toBe(2);
    expect(readFileSync(path('bounded')).equals(stdout)).toBe(true);
  });

  it('goes on with repeated lines when memory is full', async () => {
    const text = numbers(0, 1000);
    const args = ['dedupe', '--max-memory', '100k', '-n', '100', '-p', '1e-9'];
    const { code, stdout } = await runOn(text + text.repeat(20), ...args);
    expect({ code, lines: stdout.toString() }).toEqual({ code: 0, lines: text });
  });
});

describe('dedupe --last', () => {
  it('forgets all but the last lines', async () => {
    const text = numbers(0, 1000);
    const { code, stdout, stderr } = await runOn(text + text + numbers(900, 1000), 'dedupe', '--last', '200');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString()).toBe(text + text);
  });

  it('does not forget a line that is repeated within the last', async () => {
    const text = Array.from({ length: 1000 }, (_, i) => `again\n${numbers(50 * i, 50 * i + 50)}`).join('');
    const { stdout } = await runOn(text, 'dedupe', '--last', '100');
    expect(stdout.toString().match(/again/g)).toHaveLength(1);
  });

  it('prints the line of a forgotten key that comes again, not an earlier one, by fields as by lines', async () => {
    const keys = [...'xykkxyxyk'];
    const text = keys.map((key, i) => `${key}\t${i}\n`).join('');
    const { stdout } = await runOn(text, 'dedupe', '--last', '1', '--field', '1');
    const filter = new RotatingBloomFilter({ capacity: 1, errorRate: 1e-4 });
    const fresh = text.split('\n').filter((_, i) => i < keys.length && filter.add(keys[i] ?? ''));
    expect(stdout.toString()).toBe(`${fresh.join('\n')}\n`);
    expect(fresh).toContain('k\t8');
    expect(fresh).not.toContain('k\t3');
  });

  it('goes on with a saved filter, and makes it', async () => {
    const args = ['dedupe', '--last', '100', '--seen', path('last.bloom')];
    expect((await runOn(numbers(0, 500), ...args)).stdout.toString()).toBe(numbers(0, 500));
    expect((await runOn(numbers(400, 501), ...args)).stdout.toString()).toBe('500\n');
    expect((await runOn('0\n500\n', 'dedupe', '--seen', path('last.bloom'), '-p', '1e-4')).stdout.toString()).toBe(
      '0\n',
    );
    const saved = RotatingBloomFilter.fromBytes(readFileSync(path('last.bloom')));
    expect(saved).toMatchObject({ capacity: 100, errorRate: 1e-4 });
    const { code, stderr } = await runOn('a\n', 'dedupe', '--last', '101', '--seen', path('last.bloom'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/last.bloom' remembers the last 100 lines: --last 101 needs another filter\n$/);
    writeFileSync(path('exact.bloom'), BloomFilter.from(['a'], { errorRate: 1e-6 }).toBytes());
    const other = await runOn('a\n', 'dedupe', '--last', '1', '--seen', path('exact.bloom'));
    expect(other.stderr).toMatch(/exact.bloom' does not forget: --last 1 needs another filter\n$/);
    writeFileSync(path('any.bloom'), StableBloomFilter.from(['a'], { errorRate: 1e-4 }).toBytes());
    const any = await runOn('a\n', 'dedupe', '--last', '1', '--seen', path('any.bloom'));
    expect(any.stderr).toMatch(/any.bloom' may forget any line: --last 1 needs another filter\n$/);
    const seen = await runOn('a\nb\na\nb\nc\n', 'dedupe', '--seen', path('any.bloom'), '-p', '1e-4');
    expect(seen.stdout.toString()).toBe('b\nc\n');
  });

  it.each([
    [['--capacity', '5'], '--capacity does not go with --last'],
    [['--max-memory', '5M'], '--max-memory does not go with --last'],
    [['-p', '1e-6'], 'a rotating filter needs an --error-rate of at least 0.00004\n'],
    [['--last', '1e12'], 'no rotating filter is large enough for so many keys\n'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runOn('a\n', 'dedupe', '--last', '10', ...args);
    expect({ code, stdout: stdout.length }).toEqual({ code: 2, stdout: 0 });
    expect(stderr).toContain(message);
  });
});

describe('dedupe --seen', () => {
  it('goes on with a scalable filter beyond its capacity', async () => {
    const made = new ScalableBloomFilter({ capacity: 10, errorRate: 1e-6 });
    writeFileSync(path('scalable.bloom'), made.toBytes());
    const text = numbers(0, 5000);
    const result = await runOn(text + text, 'dedupe', '--seen', path('scalable.bloom'));
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.toString()).toBe(text);
    expect(readFileSync(path('scalable.bloom')).equals(made.addMany(lines(Buffer.from(text))).toBytes())).toBe(true);
  });

  it('makes a filter, and prints only new lines from then on', async () => {
    const seen = ['--seen', path('seen.bloom')];
    const args = ['dedupe', ...seen, '-n', '1k'];
    expect((await runOn('a\nb\na\n', ...args)).stdout.toString()).toBe('a\nb\n');
    expect((await runOn('b\nc\n', 'dedupe', ...seen)).stdout.toString()).toBe('c\n');
    expect(await runOn('b\nc\n', 'dedupe', ...seen)).toMatchObject({ code: 1, stderr: '' });
    const saved = WideBlockedBloomFilter.fromBytes(readFileSync(path('seen.bloom')));
    expect(saved).toMatchObject({ capacity: 1000, errorRate: 1e-6 });
    expect(saved.pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
  });

  it('makes a classic filter where a wide one errs too often', async () => {
    expect((await runOn('a\n', 'dedupe', '--seen', path('rare.bloom'), '-n', '1k', '-p', '1e-9')).code).toBe(0);
    expect(BloomFilter.fromBytes(readFileSync(path('rare.bloom')))).toMatchObject({ capacity: 1000, errorRate: 1e-9 });
  });

  it('goes on with a filter of another kind', async () => {
    writeFileSync(path('classic.bloom'), BloomFilter.from(['a'], { capacity: 10, errorRate: 1e-6 }).toBytes());
    expect((await runOn('a\nb\n', 'dedupe', '--seen', path('classic.bloom'))).stdout.toString()).toBe('b\n');
    expect(BloomFilter.fromBytes(readFileSync(path('classic.bloom'))).pick(['a', 'b', 'c'])).toEqual(['a', 'b']);
  });

  it('asks for a capacity if there is no filter', async () => {
    const { code, stderr } = await runOn('a\n', 'dedupe', '--seen', path('none.bloom'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/none.bloom' does not exist: give --capacity to make it\n$/);
    expect(existsSync(path('none.bloom'))).toBe(false);
  });

  it('fails when the filter is full, but keeps what it printed', async () => {
    const seen = ['--seen', path('small.bloom')];
    const full = await runOn(numbers(0, 200), 'dedupe', ...seen, '-n', '100');
    expect(full.code).toBe(2);
    expect(full.stdout.toString()).toBe(numbers(0, 100));
    expect(full.stderr).toMatch(/small.bloom' is full after 100 lines: it was made for 100 keys/);
    expect(await runOn(numbers(0, 100).repeat(3), 'dedupe', ...seen)).toMatchObject({ code: 1, stderr: '' });
    const again = await runOn(numbers(50, 150), 'dedupe', ...seen);
    expect(again).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(again.stderr).toMatch(/is full after 50 lines/);
  });

  it('fails when a cuckoo filter has no room, and loses no line', async () => {
    const seen = path('copies.bloom');
    // Copies of a key share its buckets, so there is no room for some keys although slots are free.
    const filter = new CuckooFilter({ buckets: 100, fingerprintBits: 32 });
    for (let i = 0; i < 16; i++) filter.addMany(Array<string>(5).fill(`old ${i}`));
    const before = filter.count;
    writeFileSync(seen, filter.toBytes());
    const text = `${numbers(0, 50)}${numbers(0, 100)}old 3\n${numbers(100, 400)}`;
    const { code, stdout, stderr } = await runOn(text, 'dedupe', '--seen', seen);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bloomery: '.*copies\.bloom' has no room for another line: .*\. Go on with bloomery omit /);
    expect(stderr.split('\n')).toHaveLength(2);
    const saved = CuckooFilter.fromBytes(readFileSync(seen));
    const printed = stdout.toString().split('\n').slice(0, -1);
    expect(saved.count).toBe(before + printed.length);
    expect(saved.count).toBeLessThan(filter.capacity);
    const others = (await runOn(numbers(0, 400), 'omit', seen)).stdout.toString();
    expect(stdout.toString() + others).toBe(numbers(0, 400));
  });

  it.runIf(existsSync('/dev/full'))('does not count lines as seen that could not be written', () => {
    writeFileSync(path('kept.bloom'), BloomFilter.from(['x'], { capacity: 10, errorRate: 1e-6 }).toBytes());
    const before = readFileSync(path('kept.bloom'));
    const full = openSync('/dev/full', 'w');
    const args = [program, 'dedupe', '--seen', path('kept.bloom')];
    const { status, stderr } = spawnSync(process.execPath, args, { input: 'new\n', stdio: ['pipe', full, 'pipe'] });
    closeSync(full);
    expect(status).toBe(2);
    expect(String(stderr)).toMatch('cannot write to');
    expect(readFileSync(path('kept.bloom')).equals(before)).toBe(true);
  });

  it('refuses a filter that errs more often than allowed', async () => {
    writeFileSync(path('loose.bloom'), BloomFilter.from(['x'], { capacity: 1000, errorRate: 0.01 }).toBytes());
    const { code, stdout, stderr } = await runOn('y\n', 'dedupe', '--seen', path('loose.bloom'));
    expect({ code, length: stdout.length }).toEqual({ code: 2, length: 0 });
    expect(stderr).toMatch(/was made for an error rate of 0\.01: --error-rate 0\.01 allows that many lines to be lost/);
    expect((await runOn('y\n', 'dedupe', '--seen', path('loose.bloom'), '-p', '1%')).stdout.toString()).toBe('y\n');
  });

  it('names an error rate with which such a filter is taken', async () => {
    writeFileSync(path('odd.bloom'), BloomFilter.from(['x'], { capacity: 1000, errorRate: 0.0123001 }).toBytes());
    const { stderr } = await runOn('y\n', 'dedupe', '--seen', path('odd.bloom'));
    const [, named = ''] = /: --error-rate (\S+) allows that many/.exec(stderr) ?? [];
    expect(named).toBe('0.0124');
    expect((await runOn('y\n', 'dedupe', '--seen', path('odd.bloom'), '-p', named)).stdout.toString()).toBe('y\n');
  });

  it('does not take a bound of memory, because its filter does not grow', async () => {
    const { code, stderr } = await runOn('y\n', 'dedupe', '--seen', path('seen.bloom'), '--max-memory', '1M');
    expect(code).toBe(2);
    expect(stderr).toMatch('--max-memory does not go with --seen');
  });
});

describe('the lines seen', () => {
  const keys = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), { maxLength: 6 });
  const formats = [
    { field: undefined, null: false },
    { field: [2], null: false },
    { field: undefined, null: true },
  ];

  it.each(formats)('are printed once, however many filters they take: %j', ({ field, null: z }) => {
    fc.assert(
      fc.property(
        keys,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 100, max: 400 }),
        (texts, capacity, bytes) => {
          const separator = z ? '\0' : '\n';
          const format = formatWith({ field, null: z });
          const lineOf = (key: number): string => `${field === undefined ? '' : '-\t'}key ${key}${separator}`;
          const endless = growingSeen(capacity, 1e-12, Number.POSITIVE_INFINITY);
          const bounded = growingSeen(1, 1e-12, bytes);
          // As several threads add the lines: in other batches, and as hashes.
          const hashed = growingSeen(capacity, 1e-12, Number.POSITIVE_INFINITY);
          const boundedHashed = growingSeen(1, 1e-12, bytes);
          const all: number[] = [];
          let [printed, begun] = ['', ''];
          for (const text of texts) {
            const bytesOf = Buffer.from(text.map(lineOf).join(''));
            printed += Buffer.from(selectIn(bytesOf, format, (some) => endless.select(some)));
            begun += Buffer.from(selectIn(bytesOf, format, (some) => bounded.select(some)));
            all.push(...text);
          }
          const pairs = Array.from({ length: Math.ceil(texts.length / 2) }, (_, i) =>
            texts.slice(2 * i, 2 * i + 2).flat(),
          );
          const selected = (seen: Seen): string =>
            pairs
              .map((some) => {
                const text = Buffer.from(some.map(lineOf).join(''));
                const flags = seen.flag(hashKeys(keysOf(text, format), { seed: seen.seed }));
                return text.toString('utf8', 0, moveFlagged(text, 0, format, flags));
              })
              .join('');
          expect(selected(hashed)).toBe(printed);
          expect(selected(boundedHashed)).toBe(begun);
          expect([hashed.count, boundedHashed.count]).toEqual([endless.count, bounded.count]);
          expect(boundedHashed.full?.message).toBe(bounded.full?.message);
          const bytesOf = (seen: Seen): Uint8Array[] => seen.filters.map((filter) => filter.toBytes());
          expect(bytesOf(hashed)).toEqual(bytesOf(endless));
          const expected = [...new Set(all)].map(lineOf).join('');
          expect(printed).toBe(expected);
          expect(endless.count).toBe(new Set(all).size);
          if (bounded.full === undefined) {
            expect(begun).toBe(expected);
          } else {
            // Ends just before the first new line for which there was no room.
            expect(expected.startsWith(begun)).toBe(true);
            const read = all.findIndex((_, i) => new Set(all.slice(0, i + 1)).size > bounded.count);
            expect(bounded.full.message).toContain(`is full after ${read} line${read === 1 ? '' : 's'}:`);
          }
        },
      ),
    );
  });
});
