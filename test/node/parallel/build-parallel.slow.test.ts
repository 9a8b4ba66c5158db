// Of the built package, because threads run its files.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, lines } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { keyed } from 'bloomery/keyed';
import { buildParallel, type ParallelProgress } from 'bloomery/parallel';
import { SharedBloomFilter } from 'bloomery/shared';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { LEAST_BYTES, PART_BYTES, textOfFiles, textOfLines } from '../../../src/node/parallel/parts.ts';
import { temporaryFolder } from '../../cli/run.ts';
import { SECRET } from '../../shared/secret.ts';
import { startedIn } from '../started.ts';

const { path: pathIn, remove } = temporaryFolder();
afterAll(remove);

/** Lines of numbers: 100,000 take more than one part. */
function numbered(count: number, end: string): string {
  return Array.from({ length: count }, (_, i) => `line ${i}${end}`).join('');
}

/** Texts of which parts are made. */
const texts = {
  'several parts': numbered(100_000, '\n'),
  'no newline at the end': `${numbered(1000, '\n')}last`,
  CRLF: numbered(100_000, '\r\n'),
  'a line longer than a part': `first\n${'x'.repeat(PART_BYTES + 9)}\n${numbered(1000, '\n')}`,
  'a long last line': `first\n${'y'.repeat(PART_BYTES)}`,
  'a part to the byte': `${'z'.repeat(PART_BYTES - 1)}\nsecond\n`,
  'empty lines': '\n\na\n\n',
  nothing: '',
} as const;

function write(name: string, contents: string): string {
  const path = pathIn(name);
  writeFileSync(path, contents);
  return path;
}

const paths = Object.entries(texts).map(([name, text]) => write(`${name}.txt`, text));
const [several = '', unended = ''] = paths;
const severalParts = new TextEncoder().encode(texts['several parts']);
const options = { capacity: 300_000, errorRate: 0.01 };

const classes = [
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  WideBlockedBloomFilter,
  JsBloomFilter,
] as object as readonly (typeof BloomFilter)[];

/** The file of the filter that one thread makes. */
function savedAlone(Class: typeof BloomFilter, some: readonly string[], more: object = {}, crlf = true): Uint8Array {
  const filter = new Class({ ...options, ...more });
  for (const text of some) filter.addMany(lines(new TextEncoder().encode(text), { crlf }));
  return filter.toBytes();
}

describe('buildParallel', () => {
  it.each(classes)('makes of files what one thread makes: %#', async (Class) => {
    const filter = await buildParallel(Class, paths, { ...options, threads: 3 });
    expect(filter).toBeInstanceOf(Class);
    expect(Buffer.compare(filter.toBytes(), savedAlone(Class, Object.values(texts)))).toBe(0);
  });

  it('reads files by their URLs, in one thread, and keeps carriage returns if that is asked for', async () => {
    const more = { ...options, seed: 7, crlf: false, threads: 1 };
    const urls = paths.map((path) => pathToFileURL(path));
    const filter = await buildParallel(BloomFilter, urls, more);
    expect(Buffer.compare(filter.toBytes(), savedAlone(BloomFilter, Object.values(texts), { seed: 7 }, false))).toBe(0);
  });

  it('reads a text in memory, which stays as it was', async () => {
    const text = texts['several parts'];
    // A pool's buffer, of which the text is a part, and shared memory.
    const part = Buffer.from(`${text} and more`).subarray(0, text.length);
    const shared = new Uint8Array(new SharedArrayBuffer(part.length));
    shared.set(part);
    const wanted = savedAlone(BloomFilter, [text]);
    for (const bytes of [part, shared] as Uint8Array[]) {
      const filter = await buildParallel(BloomFilter, lines(bytes), { ...options, threads: 2 });
      expect(Buffer.compare(filter.toBytes(), wanted)).toBe(0);
    }
    expect(part.toString()).toBe(text);
  });

  it('reads a text in memory as `lines` was told, unless an option says otherwise', async () => {
    const bytes = new TextEncoder().encode('a\r\nb\r\n');
    for (const told of [false, true]) {
      for (const crlf of [undefined, !told]) {
        const filter = await buildParallel(BloomFilter, lines(bytes, { crlf: told }), { ...options, crlf, threads: 1 });
        const wanted = savedAlone(BloomFilter, ['a\r\nb\r\n'], {}, crlf ?? told);
        expect(Buffer.compare(filter.toBytes(), wanted)).toBe(0);
      }
    }
  });

  it('copies only parts of a text in memory, unless threads share it', async () => {
    const buffersOf = async (bytes: Uint8Array): Promise<unknown[]> => {
      const buffers: unknown[] = [];
      for await (const part of textOfLines(lines(bytes) as never).parts(undefined))
        buffers.push('text' in part && part.text.buffer);
      return buffers;
    };
    const shared = new SharedArrayBuffer(5_000_000);
    expect(await buffersOf(new Uint8Array(shared))).toEqual([shared]);
    // Of another realm.
    const copies = (await buffersOf(runInNewContext('new Uint8Array(5 * 2 ** 20).fill(10)'))) as ArrayBuffer[];
    expect(copies.map(({ byteLength }) => byteLength)).toEqual(Array(5).fill(PART_BYTES));
  });

  it('refuses a text in memory that is transferred, before or while it is read', async () => {
    const lose = ({ buffer }: Uint8Array<ArrayBuffer>): void => {
      if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer] });
    };
    const lost = severalParts.slice();
    const linesOfLost = lines(lost);
    lose(lost);
    await expect(buildParallel(BloomFilter, linesOfLost, options)).rejects.toThrow(/^bytes must be a Uint8Array/);
    // Four parts, because one is always ready.
    const bytes = new Uint8Array(Buffer.concat([severalParts, severalParts, severalParts]));
    const onProgress = (): void => lose(bytes);
    const error = new TypeError('source must not be transferred or resized while it is read');
    await expect(buildParallel(BloomFilter, lines(bytes), { ...options, threads: 1, onProgress })).rejects.toThrow(
      error,
    );
  });

  it('is made for the number of lines if no capacity is given', async () => {
    const filter = await buildParallel(BloomFilter, [unended, several], { threads: 2 });
    expect(filter.capacity).toBe(101_001);
    expect((await buildParallel(BloomFilter, [])).capacity).toBe(1);
  });

  it('starts a thread for each 32 MiB of text, and at most one for each processor', async () => {
    // Sparse, and a single line.
    const path = write('large.txt', '');
    for (const [bytes, started] of [
      [2 * LEAST_BYTES, Math.min(2, availableParallelism())],
      [2 * LEAST_BYTES - 1, 1],
      [1, 1],
    ] as const) {
      truncateSync(path, bytes);
      expect(await startedIn(() => buildParallel(BloomFilter, [path], options))).toBe(started);
    }
  });

  it('lets threads share a filter that is too large for each to have one', async () => {
    const large = { capacity: 60_000_000, errorRate: 0.01, threads: 8 };
    for (const Class of [BloomFilter, BlockedBloomFilter] as (typeof BloomFilter)[]) {
      // Each thread gets a part.
      const filter = await buildParallel(Class, Array(4).fill(several), large);
      const alone = new Class({ capacity: large.capacity, errorRate: 0.01 });
      alone.addMany(lines(severalParts));
      expect(filter.equals(alone)).toBe(true);
      for (const each of [filter, alone]) each.dispose();
    }
    const dispose = vi.spyOn(SharedBloomFilter.prototype, 'dispose');
    const onProgress = vi.fn().mockThrow(new Error('enough'));
    await expect(buildParallel(BloomFilter, [several], { ...large, onProgress })).rejects.toThrow('enough');
    expect(dispose).toHaveBeenCalledOnce();
  });

  it('starts fewer threads if filters that cannot be shared are large', async () => {
    // Three of them take less than 512 MiB, and four more.
    const large = { capacity: 30_000_000, errorRate: 0.01, threads: 4 };
    const build = async () => {
      using filter = await buildParallel(CountingBloomFilter, [several], large);
      expect(filter.has('line 99999')).toBe(true);
    };
    expect(await startedIn(build)).toBe(3);
  });

  it('tells the progress', async () => {
    for (const capacity of [1_000_000, undefined]) {
      const seen: ParallelProgress[] = [];
      await buildParallel(BloomFilter, [several, unended], {
        capacity,
        threads: 2,
        onProgress: (each) => seen.push(each),
      });
      const size = texts['several parts'].length + texts['no newline at the end'].length;
      const totalBytes = capacity === undefined ? 2 * size : size;
      expect(seen.at(-1)).toEqual({ bytes: totalBytes, totalBytes });
      expect(seen.length).toBeGreaterThan(2);
      expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).sort((a, b) => a - b));
    }
  });

  it('ends with the reason of an abort, before it begins and in the middle', async () => {
    const reason = new Error('enough');
    const build = (signal: AbortSignal, abort = (): void => {}): Promise<unknown> =>
      buildParallel(BloomFilter, paths, { ...options, threads: 2, signal, onProgress: abort });
    await expect(build(AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    await expect(build(controller.signal, () => controller.abort(reason))).rejects.toBe(reason);
  });

  it('ends at an abort while it merges', async () => {
    const controller = new AbortController();
    const merging = vi.spyOn(BloomFilter.prototype, 'merge').mockImplementation((() => controller.abort(1)) as never);
    const built = buildParallel(BloomFilter, [several], { ...options, threads: 3, signal: controller.signal });
    await expect(built).rejects.toBe(1);
    expect(merging).toHaveBeenCalledOnce();
  });

  it('ends at an abort while it looks for the end of a line', async () => {
    const path = write('no line ends.txt', '');
    // Sparse. To read it would take minutes.
    truncateSync(path, 2 ** 40);
    const signal = AbortSignal.timeout(200);
    const built = buildParallel(BloomFilter, [path], { ...options, threads: 1, signal });
    const error: unknown = await built.catch((reason: unknown) => reason);
    expect(signal.aborted).toBe(true);
    expect(error).toBe(signal.reason);
  });

  it('passes on what onProgress throws, does not call it again, and leaves no file open', async () => {
    const wrong = new Error('wrong');
    let calls = 0;
    const onProgress = (): never => {
      calls++;
      throw wrong;
    };
    await expect(buildParallel(BloomFilter, paths, { ...options, threads: 3, onProgress })).rejects.toBe(wrong);
    expect(calls).toBe(1);
    // Where there is /proc, it shows the files that are open.
    expect(spawnSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).stdout).not.toContain(several);
  });

  it.skipIf(process.platform === 'win32')('opens no file that is not regular, and few at once', async () => {
    const pipe = pathIn('pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(buildParallel(BloomFilter, [pipe])).rejects.toThrow('source[0] must be a regular file');
    const program = `
      import { BloomFilter } from 'bloomery';
      import { buildParallel } from 'bloomery/parallel';
      const files = Array(1000).fill(${JSON.stringify(write('short.txt', texts['empty lines']))});
      console.log((await buildParallel(BloomFilter, files, { threads: 2 })).capacity);`;
    const command = `ulimit -n 200; exec "${process.execPath}" --input-type=module --eval "$0"`;
    expect(execFileSync('sh', ['-c', command, program], { encoding: 'utf8' })).toBe('4000\n');
  });

  it('disposes of filters that cannot be merged', async () => {
    const merged: unknown[] = [];
    const disposed = new Set<unknown>();
    class Unmergeable extends BloomFilter {
      override merge(other: unknown): never {
        merged.push(this, other);
        throw new Error('no merging');
      }
      override dispose(): void {
        disposed.add(this);
        super.dispose();
      }
    }
    const built = buildParallel(Unmergeable, [several], { ...options, threads: 3 });
    await expect(built).rejects.toThrow('no merging');
    expect(merged.map((filter) => disposed.has(filter))).toEqual([true, true]);
  });

  it('refuses a file that is not text in UTF-8, and whose bytes are not lines', async () => {
    const path = pathIn('lines.txt.gz');
    const files = { gzip: gzipSync('a\nb\n'), 'UTF-16': Buffer.from('\ufeffa\nb\n', 'utf16le'), zip: 'PK\x03\x04' };
    for (const [format, bytes] of Object.entries(files)) {
      writeFileSync(path, bytes);
      const message = `source[${paths.length}] must be text in UTF-8, not ${format}, got ${JSON.stringify(path)}`;
      await expect(buildParallel(BloomFilter, [...paths, path], options)).rejects.toThrow(new RangeError(message));
    }
    // These have but a part of the mark.
    writeFileSync(path, Uint8Array.of(0x1f));
    expect((await buildParallel(BloomFilter, [path])).has(Uint8Array.of(0x1f))).toBe(true);
    writeFileSync(path, Uint8Array.of(0x1f, 0x8c));
    expect((await buildParallel(BloomFilter, [path])).has(Uint8Array.of(0x1f, 0x8c))).toBe(true);
  });

  it('reads nothing that was appended to the last line since the text was found', async () => {
    const path = write('unended.txt', 'a'.repeat(PART_BYTES + 9));
    const text = await textOfFiles([path]);
    appendFileSync(path, 'b\n');
    const ends: number[] = [];
    for await (const part of text.parts(undefined)) if ('to' in part) ends.push(part.to);
    expect(ends).toEqual([PART_BYTES + 9]);
  });

  const take = (path: string, text: string): void => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const other = texts['several parts'].replaceAll('line', 'LINE').repeat(4);
  it.each<[string, (path: string) => void]>([
    ['another file of the same size takes its name', (path) => take(path, other)],
    ['it becomes shorter', (path) => truncateSync(path, 1000)],
    ['lines are appended to it', (path) => appendFileSync(path, 'appended\n')],
  ])('notices if, while a file is read, %s', async (what, change) => {
    const text = texts['several parts'].repeat(4);
    const path = write('replaced.txt', text);
    // Times of files are not exact: a change at once could have the same.
    utimesSync(path, 1, 1);
    let changes = 0;
    const onProgress = (): void => void (changes++ || change(path));
    const built = buildParallel(BloomFilter, [path], { ...options, threads: 1, onProgress });
    if (what.includes('appended')) expect((await built).toBytes()).toEqual(savedAlone(BloomFilter, [text]));
    else {
      const fault = what.includes('shorter') ? 'has become shorter' : 'was replaced';
      await expect(built).rejects.toThrow(`${path} ${fault} while it was read`);
    }
    expect(changes).toBeGreaterThan(0);
  });

  it('rejects once if a file is missing when its turn comes', async () => {
    const path = write('removed.txt', 'a\n');
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on('unhandledRejection', note);
    const onProgress = (): void => rmSync(path, { force: true });
    const built = buildParallel(BloomFilter, [several, path], { ...options, threads: 1, onProgress });
    await expect(built).rejects.toThrow('ENOENT');
    // Unhandled rejections are reported between turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  const kinds = 'BloomFilter, BlockedBloomFilter, CountingBloomFilter or WideBlockedBloomFilter';
  const pathOf = 'must be the path of a file, as a string or a URL';
  const names = 'capacity, errorRate, seed, crlf, threads, onProgress, signal';
  const STATUS = '/proc/self/status';
  const given = (more: object) => [BloomFilter, [], more];
  it.each<[message: string, args: readonly unknown[]]>([
    [`TypeError: Class must be ${kinds}, got a class of cuckoo filters`, [CuckooFilter, []]],
    [`TypeError: Class must be ${kinds}, got undefined`, [undefined, []]],
    ['TypeError: Class must be without a secret', [keyed(BloomFilter, SECRET), []]],
    ['TypeError: source must be an array of paths, or lines(bytes), got "a.txt"', [BloomFilter, 'a.txt']],
    [`TypeError: source[1] ${pathOf}, got 1`, [BloomFilter, ['a', 1]]],
    [`TypeError: source[0] ${pathOf}, got ""`, [BloomFilter, ['']]],
    ['Error: ENOENT', [BloomFilter, [pathIn('missing')]]],
    ...((existsSync(STATUS)
      ? [[`RangeError: source[0] must be a file whose size is known, got "${STATUS}"`, [BloomFilter, [STATUS]]]]
      : []) as [string, readonly unknown[]][]),
    [`TypeError: unknown option thread; the options are ${names}`, given({ thread: 2 })],
    ['TypeError: capacity must be an integer from 1 to 9007199254740991, got null', given({ capacity: null })],
    ['RangeError: options.threads must be an integer from 1 to 64, got 0', given({ threads: 0 })],
    ['TypeError: options.crlf must be a boolean, got 1', given({ crlf: 1 })],
    ['TypeError: options.signal must be an AbortSignal, got 1', given({ signal: 1 })],
    ['TypeError: options.onProgress must be a function, got 1', given({ onProgress: 1 })],
  ])('refuses wrong arguments: %s', async (message, args) => {
    const built = (buildParallel as (...all: readonly unknown[]) => Promise<unknown>)(...args);
    expect(String(await built.catch((reason: unknown) => reason))).toContain(message);
  });
});
