import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { BloomFilter, FilterMemoryError } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { hashKeys } from 'bloomery/hash';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { StableBloomFilter } from 'bloomery/stable';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ExactSeen } from '../../cli/filters/exact.ts';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { growingSeen, type Selecting } from '../../cli/filters/seen.ts';
import type { TextValues } from '../../cli/text/format.ts';
import { keysOf } from '../../cli/text/records.ts';
import { moveFlagged, selectIn } from '../../cli/text/select.ts';
import { refuses } from '../shared/refuses.ts';
import { formatWith } from './format.ts';
import { numbers, program, start, told, workInFolder, write } from './run.ts';

workInFolder();

const countLines = (text: string): number => text.split('\n').length - 1;
const printed = async (input: string, options = ''): Promise<string> => (await told(`dedupe ${options}`, input))[1];

describe('dedupe', () => {
  // Each thread has an engine of its own, and two batches. All lines in a Set would take twice the memory and more.
  it.each([
    [1, [], 0, 1.8e8],
    [2, [], 0, 2.8e8],
    [2, ['-p', '1e-6'], 10, 2.6e8],
  ])('of three million lines, none comes twice: %i threads, %j loses %i', async (threads, options, most, memory) => {
    const COUNT = 3.2e6;
    const child = start('dedupe', ...options, '--threads', String(threads));
    let [printed, last, rest, peak] = [0, -1, '', 0];
    child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      printed += lines.length;
      // They ascend, so that none comes twice.
      for (const line of lines) last = Number(line) > last ? Number(line) : Number.NaN;
      const status = `/proc/${child.pid}/status`;
      const [, kilobytes = '0'] = (existsSync(status) && /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))) || [];
      peak = Math.max(peak, 1024 * Number(kilobytes));
    });
    for (let from = 0; from < COUNT; from += 1e5) {
      if (!child.stdin?.write(numbers(from, from + 1e5))) await once(child.stdin as NodeJS.WritableStream, 'drain');
    }
    child.stdin?.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(last).toBeGreaterThanOrEqual(COUNT - 1 - most);
    expect(COUNT - printed).toBeLessThanOrEqual(most);
    // Later versions of Node themselves take more.
    const more = process.version.startsWith('v20.') ? 0 : 4e7;
    expect(peak).toBeLessThan(memory + more);
  });

  it.each(['', '--field 1'])('keeps its error rate far beyond its capacity: %s', async (options) => {
    const text = numbers(0, 200_000);
    const found = await printed(text + text, `-n 100 -p 0.001 ${options}`);
    const lost = 200_000 - countLines(found);
    // 200 are expected at most. The bound is four standard deviations above.
    expect(lost).toBeLessThan(200 + 4 * Math.sqrt(200));
    // Without false positives, this test would say nothing.
    expect(lost).toBeGreaterThan(0);
    expect(new Set(found.split('\n')).size).toBe(200_000 - lost + 1);
  });

  it('goes on with classic filters where wide ones err too often, or take more memory than is left', async () => {
    // The rates of its filters begin at 5e-8, and are below 1e-8 from the fourth one on.
    const text = numbers(0, 20_000);
    expect(await told('dedupe -n 100 -p 1e-7', text + text)).toEqual([0, text, '']);
    // 10,000 lines take 53 kB in a wide filter, and 38 kB in a classic one.
    const some = numbers(0, 10_000);
    expect(await told('dedupe -p 1e-6 -n 10000 --max-memory 40k', some)).toEqual([0, some, '']);
  });

  it('fails before it breaks its promise if memory is bounded, and goes on with repeated lines', async () => {
    const bounded = 'dedupe --max-memory 100k -p 1e-9';
    const [code, stdout, stderr] = await told(bounded, numbers(0, 50_000));
    expect(code).toBe(2);
    const full = /^bloomery: --max-memory 100 kB is full after ([\d,]+) lines: to read more/;
    const read = Number(full.exec(stderr)?.[1]?.replace(',', ''));
    expect(read).toBeGreaterThan(15_000);
    expect(stdout).toBe(numbers(0, read));
    expect((await told(`${bounded} -o file`, numbers(0, 50_000)))[0]).toBe(2);
    expect(readFileSync('file', 'utf8')).toBe(stdout);
    const text = numbers(0, 1000);
    expect(await told(`${bounded} -n 100`, text.repeat(20))).toEqual([0, text, '']);
  });
});

describe('dedupe --last', () => {
  it('forgets all but the last lines, and none that is repeated within them', async () => {
    const text = numbers(0, 1000);
    expect(await told('dedupe --last 200', text + text + numbers(900, 1000))).toEqual([0, text + text, '']);
    const often = Array.from({ length: 1000 }, (_, i) => `again\n${numbers(50 * i, 50 * i + 50)}`).join('');
    expect((await printed(often, '--last 100')).match(/again/g)).toHaveLength(1);
  });

  it('prints the line of a forgotten key that comes again, not an earlier one, by fields as by lines', async () => {
    const keys = [...'xykkxyxyk'];
    const text = keys.map((key, i) => `${key}\t${i}\n`).join('');
    const filter = new RotatingBloomFilter({ capacity: 1, errorRate: 1e-4 });
    const fresh = text.split('\n').filter((_, i) => i < keys.length && filter.add(keys[i] ?? ''));
    expect(await printed(text, '--last 1 --field 1')).toBe(`${fresh.join('\n')}\n`);
    expect(fresh).toContain('k\t8');
    expect(fresh).not.toContain('k\t3');
  });

  it('goes on with a saved filter, and makes it', async () => {
    expect(await printed(numbers(0, 500), '--last 100 --seen last')).toBe(numbers(0, 500));
    expect(await printed(numbers(400, 501), '--last 100 --seen last')).toBe('500\n');
    expect(await printed('0\n500\n', '--seen last -p 1e-4')).toBe('0\n');
    const filter = RotatingBloomFilter.fromBytes(readFileSync('last'));
    expect(filter).toMatchObject({ capacity: 100, errorRate: 1e-4 });
    write({ any: StableBloomFilter.from(['a'], { errorRate: 1e-4 }) });
    expect(await printed('a\nb\na\nb\nc\n', '--seen any -p 1e-4')).toBe('b\nc\n');
  });

  it.each([
    ['--last 101 --seen last', "'last' remembers the last 100 lines: --last 101 needs another filter\n"],
    ['--last 1 --seen exact', "'exact' does not forget: --last 1 needs another filter\n"],
    ['--last 1 --seen any', "'any' may forget any line: --last 1 needs another filter\n"],
  ])('refuses %s', async (options, message) => {
    write({ last: new RotatingBloomFilter({ capacity: 100, errorRate: 1e-4 }) });
    write({ exact: BloomFilter.from(['a'], { errorRate: 1e-6 }) });
    write({ any: new StableBloomFilter({ capacity: 100, errorRate: 1e-4 }) });
    expect(await told(`dedupe ${options}`, 'a\n')).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('dedupe --seen', () => {
  it.each([
    ['-p 1e-6', WideBlockedBloomFilter, 1e-6],
    // A wide filter errs too often.
    ['-p 1e-9', BloomFilter, 1e-9],
  ] as const)('makes a filter, and prints only new lines from then on: %s', async (rate, Class, errorRate) => {
    expect(await printed('a\nb\na\n', `--seen new${errorRate} -n 1k ${rate}`)).toBe('a\nb\n');
    expect(await printed('b\nc\n', `--seen new${errorRate}`)).toBe('c\n');
    expect(await told(`dedupe --seen new${errorRate}`, 'b\nc\n')).toEqual([1, '', '']);
    const filter = (Class as object as typeof BloomFilter).fromBytes(readFileSync(`new${errorRate}`));
    expect(filter).toMatchObject({ capacity: 1000, errorRate });
    expect(filter.pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
  });

  it('fails when the filter is full, but keeps what it printed', async () => {
    const full = (read: number) =>
      expect.stringContaining(`'small' is full after ${read} lines: it was made for 100 keys`);
    expect(await told('dedupe --seen small -p 1e-6 -n 100', numbers(0, 200))).toEqual([2, numbers(0, 100), full(100)]);
    expect(await told('dedupe --seen small', numbers(0, 100).repeat(3))).toEqual([1, '', '']);
    expect(await told('dedupe --seen small', numbers(50, 150))).toEqual([2, '', full(50)]);
  });

  describe('with a cuckoo filter that has slots, but no room for some keys', () => {
    const message =
      /^bloomery: 'copies' has no room for another line: .*\. Go on with bloomery omit copies FILES \| .* --capacity \d+\n$/;

    /** Copies of a key share its buckets. */
    function filterOf(copies: number, seed = 0): CuckooFilter {
      const filter = new CuckooFilter({ buckets: 100, fingerprintBits: 32, seed });
      for (let i = 0; i < 16 * copies; i++) refuses(filter, `old ${i % 16}`);
      write({ copies: filter });
      return filter;
    }

    it.each([
      ['1', 0],
      ['2', 5],
    ])('fails and loses no line: %s threads, the seed %i', async (threads, seed) => {
      const filter = filterOf(5, seed);
      const text = `${numbers(0, 50)}${numbers(0, 100)}old 3\n${numbers(100, 400)}`;
      const [code, stdout, stderr] = await told(`dedupe --seen copies --threads ${threads}`, text);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
      const after = CuckooFilter.fromBytes(readFileSync('copies'));
      expect(after.count).toBe(filter.count + countLines(stdout));
      expect(after.count).toBeLessThan(filter.capacity);
      expect(stdout + (await told('omit copies', numbers(0, 400)))[1]).toBe(numbers(0, 400));
    });

    it.each([
      ['1', ''],
      ['2', ''],
      ['1', 'old 3\nold 3\n'],
    ])('fails at the first new line, and leaves the filter as it was: %s threads, after %j', async (threads, known) => {
      const filter = filterOf(8);
      const before = readFileSync('copies');
      const isRefused = (key: string): boolean =>
        !filter.has(key) && refuses(CuckooFilter.fromBytes(before), key) && filter.count < filter.capacity;
      const refused = numbers(0, 400).split('\n').find(isRefused);
      expect(refused).toBeDefined();
      const result = await told(`dedupe --seen copies --threads ${threads}`, `${known}${refused}\n${numbers(0, 400)}`);
      expect(result).toEqual([2, '', expect.stringMatching(message)]);
      expect(readFileSync('copies').equals(before)).toBe(true);
    });
  });

  it.runIf(existsSync('/dev/full'))('does not count lines as seen that could not be written', () => {
    write({ kept: BloomFilter.from(['x'], { capacity: 10, errorRate: 1e-6 }) });
    const before = readFileSync('kept');
    const full = openSync('/dev/full', 'w');
    const args = [program, 'dedupe', '--seen', 'kept'];
    const { status, stderr } = spawnSync(process.execPath, args, { input: 'new\n', stdio: ['pipe', full, 'pipe'] });
    closeSync(full);
    expect(status).toBe(2);
    expect(String(stderr)).toMatch('cannot write to');
    expect(readFileSync('kept').equals(before)).toBe(true);
  });

  it('refuses a filter that errs more often than allowed, and names its rate', async () => {
    write({ loose: BloomFilter.from(['x'], { capacity: 1000, errorRate: 0.0123001 }) });
    const message = 'was made for an error rate of 0.0124: --error-rate 0.0124 allows that many lines to be lost';
    expect(await told('dedupe --seen loose -p 0.0122', 'y\n')).toEqual([2, '', expect.stringContaining(message)]);
    expect(await printed('y\n', '--seen loose -p 0.0124')).toBe('y\n');
  });
});

const batches = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), { maxLength: 6 });

it.each<Partial<TextValues>>([{}, { field: [2] }, { null: true }])('the lines seen are printed once: %j', (values) => {
  const format = formatWith(values);
  const lineOf = (key: number): string =>
    `${values.field ? '-\t' : ''}key ${key}${String.fromCharCode(format.separator)}`;
  const textOf = (keys: number[]): Buffer<ArrayBuffer> => Buffer.from(keys.map(lineOf).join(''));
  const byLines = (seen: Selecting, text: Buffer): string =>
    Buffer.from(selectIn(text, format, (keys) => seen.select(keys))).toString();
  // As several threads add the lines: in other batches, and as hashes.
  const byHashes = (seen: Selecting, text: Buffer<ArrayBuffer>): string => {
    const flags = seen.flag(hashKeys(keysOf(text, format), { seed: seen.seed }));
    return text.toString('utf8', 0, moveFlagged(text, 0, format, flags));
  };
  const bytesOf = (seen: Selecting): Uint8Array[] => seen.filters.map((filter) => filter.toBytes());
  const exactSeen = (maxMemory: number) => new ExactSeen(new FingerprintSet(), { maxMemory, name: undefined });
  const capacities = fc.integer({ min: 1, max: 20 });
  const sizes = fc.tuple(fc.integer({ min: 100, max: 400 }), fc.constantFrom(500, 900));
  const property = fc.property(batches, capacities, sizes, (texts, capacity, [bytes, setBytes]) => {
    const pairs = texts.flatMap((some, i) => (i % 2 ? [] : [[...some, ...(texts[i + 1] ?? [])]]));
    const all = texts.flat();
    const distinct = [...new Set(all)];
    const filters = [() => growingSeen(capacity, 1e-12, Infinity), () => growingSeen(1, 1e-12, bytes)];
    for (const make of [...filters, () => exactSeen(Infinity), () => exactSeen(setBytes)]) {
      const [one, other] = [make(), make()];
      const printedBy: [Selecting, string[]][] = [
        [one, texts.map((some) => byLines(one, textOf(some)))],
        [other, pairs.map((some) => byHashes(other, textOf(some)))],
      ];
      for (const [seen, printed] of printedBy) {
        expect(printed.join('')).toBe(distinct.slice(0, seen.count).map(lineOf).join(''));
        // Ends just before the first new line for which there was no room.
        const read = all.indexOf(distinct[seen.count] as number);
        const full = new RegExp(`is full after ${read} line${read === 1 ? '' : 's'}[:,]`);
        if (seen.full) expect(seen.full.message).toMatch(full);
        else expect(seen.count).toBe(distinct.length);
      }
      // How much room a set leaves depends on how many keys come at a time.
      if (!one.isExact) expect([other.count, other.full?.message]).toEqual([one.count, one.full?.message]);
      if (!one.full && !other.full) expect(bytesOf(other)).toEqual(bytesOf(one));
    }
  });
  fc.assert(property);
});

/** The keys that come twice or more, in the order of their second occurrence, and how often they come. */
function repeatedIn(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const repeated = new Map<string, number>();
  for (const key of keys) {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > 1) repeated.set(key, count);
  }
  return repeated;
}

describe('dedupe --repeated', () => {
  it.each([
    ['', 'a\nb\na\nc\r\na\nb\r\n\nc\nd\n\n', 0, 'a\nb\r\nc\n\n'],
    ['-f 2', 'u1\ta\nu2\tb\nu3\ta\nu4\ta\n', 0, 'u3\ta\n'],
    ['', 'a\nb\n', 1, ''],
    ['--count --allow-none', 'a\nb\n', 0, ''],
    // As uniq does.
    ['-c', 'a\nb\na\nc\na\nb', 0, '      3 a\n      2 b\n'],
    ['-c', 'x\r\r\nx\r', 0, '      2 x\r\r\n'],
    ['plain marked', '', 0, '\ufeffa\n'],
    // No byte order mark comes after a count.
    ['-c plain marked', '', 0, '      2 a\n'],
  ])('prints each line that comes again, or how often: %s of %j', async (options, text, code, expected) => {
    write({ plain: 'a\n', marked: '\ufeffa\n' });
    expect(await told(`dedupe --repeated ${options}`, text)).toEqual([code, expected, '']);
  });

  it.each([1, 2])('counts many lines, in several files too: %i threads', async (threads) => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `key ${(i * i) % 27_644_437} ${'x'.repeat(1 + (i % 40))}`);
    const all = [...keys, ...keys.slice(0, 30_000), ...keys.slice(0, 10_000)];
    write({ first: all.slice(0, 70_000).join('\n'), second: all.slice(70_000).join('\n') });
    const printed = async (option: string): Promise<string[]> =>
      (await told(`dedupe --repeated ${option} --threads ${threads} first second`))[1].trimEnd().split('\n');
    const repeated = [...repeatedIn(all)];
    expect(await printed('')).toEqual(repeated.map(([key]) => key));
    expect(await printed('-c')).toEqual(repeated.map(([key, count]) => `${String(count).padStart(7)} ${key}`));
  });
});

describe('repeated lines', () => {
  const text = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 50 }), { maxLength: 6 });

  it('are selected once and counted exactly, however many filters they take', () => {
    const property = fc.property(text, fc.integer({ min: 1, max: 30 }), (batches, capacity) => {
      const seen = () => growingSeen(capacity, 1e-12, Number.POSITIVE_INFINITY);
      const [repeated, counted] = [new Repeated(seen(), seen()), new Counted(seen())];
      const selectedBy = (selecting: Selecting): string[] =>
        batches.flatMap((batch) => {
          const keys = batch.map((key) => `key ${key}`);
          const flags = selecting.flag(hashKeys(keys, { seed: selecting.seed }));
          return keys.filter((_, i) => flags[i] === 1);
        });
      const expected = repeatedIn(batches.flat().map((key) => `key ${key}`));
      expect(selectedBy(repeated)).toEqual([...expected.keys()]);
      expect(selectedBy(counted)).toEqual([...expected.keys()]);
      expect([...expected.keys()].map((_, i) => counted.countOf(i))).toEqual([...expected.values()]);
      expect([repeated.count, counted.count]).toEqual([expected.size, expected.size]);
    });
    fc.assert(property);
  });

  it('end with an error if there is no memory to count more of them', () => {
    const counted = new Counted(growingSeen(1000, 1e-6, Number.POSITIVE_INFINITY));
    const keys = Array.from({ length: 2000 }, (_, i) => `key ${i}`);
    for (const fail of [
      () => vi.spyOn(FingerprintSet.engine, 'reserve').mockThrow(new FilterMemoryError('no more', 1)),
      () => vi.spyOn(globalThis, 'Float64Array').mockThrow(new RangeError('Array buffer allocation failed')),
    ]) {
      fail();
      expect(() => counted.flag(hashKeys([...keys, ...keys]))).toThrow(
        /^there is no memory for more than [\d,]+ distinct keys: without --count, repeated lines take less$/,
      );
      vi.restoreAllMocks();
    }
  });
});
