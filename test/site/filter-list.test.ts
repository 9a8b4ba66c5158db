import { describe, expect, it } from 'vitest';
import { classes } from '../../cli/filters/kinds.ts';
import { chooseEngine } from '../../site/src/engine.ts';
import { InputError } from '../../site/src/filter-list/input-error.ts';
import type { FilterFacts, Job, Progress, Result } from '../../site/src/filter-list/job.ts';
import { expectedLosses } from '../../site/src/filter-list/losses.ts';
import { Meter } from '../../site/src/filter-list/meter.ts';
import { firstLines } from '../../site/src/filter-list/output.ts';
import { withRoom } from '../../site/src/filter-list/room.ts';
import { runJob } from '../../site/src/filter-list/run.ts';
import { objectionTo, openText } from '../../site/src/filter-list/text-file.ts';
import {
  expectedErrors,
  expectedErrorsText,
  failureText,
  filterName,
  resultName,
} from '../../site/src/filter-list/wording.ts';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from '../../src/entries/wide.ts';

const engine = await chooseEngine();
const { BloomFilter, BlockedBloomFilter, expectedBlockedErrorRate } = engine;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('opening a text', () => {
  it.each([
    ['', /empty/],
    ['BLMY and more', /saved filter/],
    ['\u001f\u008b', /gzip/],
    ['PK\u0003\u0004', /ZIP/],
    ['\u00ff\u00fea\u0000', /UTF-16/],
    ['a\nb\u0000\n', /binary/],
  ])('refuses what is none: %j', (text, reason) => {
    expect(objectionTo(Uint8Array.from(text, (character) => character.charCodeAt(0)))).toMatch(reason);
  });

  it('takes what is one, in whatever encoding', () => {
    expect(objectionTo(bytes('ada\r\ngrace\n'))).toBeUndefined();
    expect(objectionTo(Uint8Array.of(0xe9, 0x0a, 0xff))).toBeUndefined();
  });

  it.each([
    ['a\nb\n', 2],
    ['a\nb', 2],
    ['\n', 1],
    ['a', 1],
  ])('counts the lines of a small text: %j', async (text, lines) => {
    expect((await openText(new Blob([text]), 'text')).room).toBe(lines);
  });

  it('leaves the mark at the beginning out', async () => {
    const { text } = await openText(new Blob([Uint8Array.of(0xef, 0xbb, 0xbf), 'ada\n']), 'text');
    expect(await text.text()).toBe('ada\n');
    await expect(openText(new Blob([Uint8Array.of(0xef, 0xbb, 0xbf)]), 'text')).rejects.toThrow('empty');
  });

  it('estimates the lines of a large text, with some room more', async () => {
    const lines = 300_000;
    const { room } = await openText(new Blob(['ten bytes\n'.repeat(lines)]), 'text');
    expect(room).toBeGreaterThan(lines);
    expect(room).toBeLessThan(1.1 * lines);
  });
});

describe('making room', () => {
  it('begins again with more room if there are more lines', async () => {
    const tried: [number, boolean][] = [];
    const got = await withRoom(1000, 10, async (capacity, watch, isAgain) => {
      tried.push([capacity, isAgain]);
      watch({ bytes: 100, lines: 10, kept: 10 });
      watch({ bytes: 500, lines: 5000, kept: 5000 });
      watch({ bytes: 1000, lines: 9000, kept: 9000 });
      return capacity;
    });
    // 5000 lines in half of the text are 10,000 in all of it, and 5 % more.
    expect(tried).toEqual([
      [10, false],
      [10_500, true],
    ]);
    expect(got).toBe(10_500);
  });

  it('passes on other errors', async () => {
    const failed = new Error('failed');
    await expect(withRoom(1, 1, () => Promise.reject(failed))).rejects.toBe(failed);
  });
});

describe('running a job', () => {
  const watched = (signal = new AbortController().signal) => {
    const progress: Progress[] = [];
    const previews: (readonly string[])[] = [];
    const watcher = {
      signal,
      onProgress: (each: Progress) => void progress.push(each),
      onPreview: (lines: readonly string[]) => void previews.push(lines),
    };
    return { watcher, progress, previews };
  };
  const job = (given: Partial<Job>): Job => ({
    mode: 'keep',
    text: new Blob(['ada\nbob\nada\n']),
    list: { form: 'lines', file: new Blob(['ada\n']) },
    errorRate: 1e-6,
    destination: undefined,
    ...given,
  });

  it.each([
    ['keep', 'ada\nada\n'],
    ['drop', 'bob\n'],
    ['once', 'ada\nbob\n'],
  ] as const)('gives the lines: %s', async (mode, expected) => {
    const { watcher, progress, previews } = watched();
    const { result } = await runJob(engine, job({ mode, ...(mode === 'once' && { list: undefined }) }), watcher);
    expect(await result.blob?.text()).toBe(expected);
    expect(previews).toEqual([expected.trim().split('\n')]);
    expect(result.read).toBe(3);
    expect(result.kept).toBe(expected.split('\n').length - 1);
    const last = progress.at(-1);
    expect(last?.bytes).toBe(last?.totalBytes);
  });

  it.each(classes.map((Class) => [Class.kind, Class] as const))(
    'takes a saved filter of every kind of the command line: %s',
    async (kind, Class) => {
      const filter = (Class as typeof BloomFilter).from(['bob']);
      const file = new Blob([filter.toBytes()]);
      const { result } = await runJob(engine, job({ list: { form: 'filter', file } }), watched().watcher);
      expect(await result.blob?.text()).toBe('bob\n');
      expect(result.filter.kind).toBe(kind);
    },
  );

  it('names the input that is wrong', async () => {
    const wrong = runJob(engine, job({ list: { form: 'lines', file: new Blob([]) } }), watched().watcher);
    await expect(wrong).rejects.toThrow(InputError);
    await expect(wrong).rejects.toMatchObject({ source: 'list', message: 'It is empty.' });
    const text = runJob(engine, job({ text: new Blob([new Uint8Array(4)]) }), watched().watcher);
    await expect(text).rejects.toMatchObject({ source: 'text' });
  });

  it('reads again if a text has more lines than its samples suggest', async () => {
    // Long lines wherever samples are taken, and short ones between.
    const long = `${'x'.repeat(1023)}\n`.repeat(64);
    const short = 'y\n'.repeat(100_000);
    const text = new Blob(Array.from({ length: 16 }, () => `${long}${short}`));
    const { watcher, progress } = watched();
    const { result } = await runJob(engine, job({ mode: 'once', list: undefined, text, errorRate: 0.01 }), watcher);
    expect(result.read).toBe(16 * (64 + 100_000));
    expect(result.filter.capacity).toBeGreaterThanOrEqual(result.read);
    expect(new Set(progress.map(({ phase }) => phase))).toContain('again');
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    const { watcher, progress } = watched(controller.signal);
    const text = new Blob(['ten bytes\n'.repeat(4_000_000)]);
    const running = runJob(engine, job({ mode: 'once', list: undefined, text, errorRate: 0.01 }), {
      ...watcher,
      onProgress(each) {
        progress.push(each);
        controller.abort();
      },
    });
    await expect(running).rejects.toThrow();
    expect(progress.at(-1)?.bytes).toBeLessThan(text.size);
  });

  it('writes to a file, and gives up what was written if it fails', async () => {
    const calls: string[] = [];
    const destination = {
      createWritable: async () => ({
        write: async (part: Blob) => void calls.push(await part.text()),
        close: async () => void calls.push('close'),
        abort: async () => void calls.push('abort'),
      }),
    } as unknown as FileSystemFileHandle;
    const { result } = await runJob(engine, job({ destination }), watched().watcher);
    expect(result.blob).toBeUndefined();
    expect(calls.splice(0)).toEqual(['ada\nada\n', 'close']);
    // Looked at twice, and gone when it is read.
    let slices = 0;
    const gone = new Blob(['ada\n']);
    const slice = (start: number, end: number): Blob => {
      if (++slices > 2) throw new DOMException('gone', 'NotReadableError');
      return Blob.prototype.slice.call(gone, start, end);
    };
    const text = Object.assign(gone, { slice });
    await expect(runJob(engine, job({ text, destination }), watched().watcher)).rejects.toThrow('is gone');
    expect(calls).toEqual(['abort']);
  });
});

describe('the preview', () => {
  it.each([
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a', ['a']],
    ['a\nb', ['a']],
    [`${'x'.repeat(500)}\ny\n`, ['x'.repeat(200), 'y']],
  ])('has whole lines, shortened: %j', (text, lines) => expect(firstLines(bytes(text))).toEqual(lines));

  it('has at most ten', () => expect(firstLines(bytes('a\n'.repeat(50)))).toHaveLength(10));
});

describe('speed and time left', () => {
  it('comes from what was done so far', () => {
    const meter = new Meter(1000);
    expect(meter.read({ bytes: 0, totalBytes: 100, lines: 0 }, 1000)).toEqual({
      share: 0,
      linesPerSecond: 0,
      secondsLeft: Number.POSITIVE_INFINITY,
    });
    expect(meter.read({ bytes: 25, totalBytes: 100, lines: 50 }, 3000)).toEqual({
      share: 0.25,
      linesPerSecond: 25,
      secondsLeft: 6,
    });
  });
});

describe('lines that are lost', () => {
  const bits = (capacity: number, errorRate: number): number => 512 * optimalWideBlocks(capacity, errorRate);

  it('are those of the whole run, and not at the final error rate', () => {
    const size = bits(4_500_000, 1e-6);
    const lost = expectedLosses(4_500_000, (count) => expectedWideBlockedErrorRate(count, size));
    expect(lost).toBeGreaterThan(0.2);
    expect(lost).toBeLessThan(0.6);
  });

  it('are as many as a filter loses', () => {
    const filter = new BlockedBloomFilter({ capacity: 100_000, errorRate: 0.05 });
    const kept = filter.dedupe(Array.from({ length: 100_000 }, (_, i) => `line ${i}`)).length;
    const expected = expectedLosses(kept, (count) => expectedBlockedErrorRate(count, filter.bits));
    expect(100_000 - kept).toBeGreaterThan(expected - 5 * Math.sqrt(expected));
    expect(100_000 - kept).toBeLessThan(expected + 5 * Math.sqrt(expected));
  });

  it('are none without lines, and bounded in a full filter', () => {
    expect(expectedLosses(0, () => 1)).toBe(0);
    expect(expectedLosses(3, () => 0.5)).toBeCloseTo(3);
    expect(expectedLosses(3, () => 1)).toBeGreaterThan(1e6);
  });
});

describe('the words', () => {
  const result = (read: number, kept: number, estimatedErrorRate: number, lost = 0): Result =>
    ({ read, kept, lost, filter: { estimatedErrorRate } as FilterFacts }) as Result;

  it('expects errors among the lines that the list does not have', () => {
    // Of 1000 absent lines, 10 look present and 990 absent.
    expect(expectedErrors('drop', result(5000, 990, 0.01))).toBeCloseTo(10);
    expect(expectedErrors('keep', result(5000, 4010, 0.01))).toBeCloseTo(10);
    expect(expectedErrors('once', result(2000, 990, 0.01, 1.5))).toBe(1.5);
    expect(expectedErrors('keep', result(10, 10, 1))).toBe(0);
  });

  it('says how many', () => {
    expect(expectedErrorsText('drop', result(5000, 990, 0.01))).toBe(
      "At the filter's error rate of 1 in 100, about 10 lines are dropped that the list does not have.",
    );
    expect(expectedErrorsText('keep', result(10, 5, 1e-6))).toContain('probably no line is kept');
    expect(expectedErrorsText('once', result(9e6, 4.5e6, 1e-6, 0.7))).toBe(
      'While the error rate rises to 1 in 1,000,000, about 1 line is lost that had not occurred before.',
    );
  });

  it('names the input that is to blame', () => {
    expect(failureText('It is empty.', 'text')).toBe('Failed. Lines to filter: It is empty.');
    expect(failureText('It is empty.', 'list')).toBe('Failed. Second list: It is empty.');
    expect(failureText('There is no room left.', undefined)).toBe('Failed: There is no room left.');
  });

  it.each([
    ['urls.txt', 'urls-left.txt', 'urls.bloom'],
    ['urls', 'urls-left.txt', 'urls.bloom'],
    ['a.b.csv', 'a.b-left.csv', 'a.b.bloom'],
    ['.hidden', '.hidden-left.txt', 'list.bloom'],
  ])('names files: %s', (name, left, filter) => {
    expect(resultName(name, 'drop')).toBe(left);
    expect(filterName(name)).toBe(filter);
  });
});
