import { gzipSync } from 'node:zlib';
import { FilterFullError } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { describe, expect, it, vi } from 'vitest';
import { classes } from '../../cli/filters/kinds.ts';
import { placeDrop, type Situation } from '../src/filter-list/drops.ts';
import { InputError } from '../src/filter-list/input-error.ts';
import type { FilterFacts, Job, Mode, Progress, Reply, Request, Result } from '../src/filter-list/job.ts';
import { MOST_SET_BYTES } from '../src/filter-list/job.ts';
import { firstLines } from '../src/filter-list/output.ts';
import { asLines } from '../src/filter-list/reading.ts';
import { take } from '../src/filter-list/requests.ts';
import { begun, ended } from '../src/filter-list/result-panel.ts';
import { type Memory, withRoom } from '../src/filter-list/room.ts';
import { expectedLosses } from '../src/filter-list/run.ts';
import { inspectFilter } from '../src/filter-list/saved-filter.ts';
import * as words from '../src/filter-list/wording.ts';
import { asText, engine, run as runJob, usual as usualJob } from './job.ts';

const { BloomFilter } = engine;
const full = (): Error => new FilterFullError('full', { code: 'MEMORY', reason: 'full', position: 0 });
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('making room', () => {
  const text = { size: 1000, room: 10 };

  /** Reads a text of 9000 lines, and tells what was tried for it; a set takes `setBytes` for the first half. */
  async function tried(isExact: boolean, setBytes: number, fail = (_: Memory): void => {}) {
    const capacities: (number | undefined)[] = [];
    const disposed: (number | undefined)[] = [];
    const make = async (capacity: number | undefined): Promise<Memory> => {
      capacities.push(capacity);
      return { byteLength: setBytes, capacity, dispose: () => void disposed.push(capacity) } as Memory;
    };
    const got = await withRoom(text, isExact, make, async (memory, watch, isAgain) => {
      expect(isAgain).toBe(capacities.length > 1);
      fail(memory);
      watch({ bytes: 100, lines: 10, kept: 10 });
      watch({ bytes: 500, lines: 5000, kept: 5000 });
      watch({ bytes: 1000, lines: 9000, kept: 9000 });
      return memory.capacity;
    });
    expect([got, disposed]).toEqual([capacities.at(-1), capacities.slice(0, -1)]);
    return capacities;
  }

  it('begins again with more room if there are more lines', async () => {
    // 5000 lines in half of the text are 10,000 in all of it, and 5 % more.
    expect(await tried(false, Infinity)).toEqual([10, 10_500]);
  });

  it('takes a filter for a set that would be too large', async () => {
    expect(await tried(true, MOST_SET_BYTES)).toEqual([undefined]);
    // 10 lines in the first tenth: a filter for 1000 is the least.
    expect(await tried(true, MOST_SET_BYTES + 1)).toEqual([undefined, 1000, 10_500]);
    const refuse = ({ capacity }: Memory): void => {
      if (capacity === undefined) throw full();
    };
    expect(await tried(true, 0, refuse)).toEqual([undefined, 10, 10_500]);
  });

  it('passes on other errors, and keeps nothing', async () => {
    const failed = new Error('failed');
    await expect(tried(true, 0, vi.fn().mockThrow(failed))).rejects.toBe(failed);
  });
});

describe('running a job', () => {
  const once = { mode: 'once', list: undefined, errorRate: 0.01 } as const;
  const usual = { mode: 'keep', text: asText('ada\nbob\nada\n'), list: asText('ada\n'), errorRate: 1e-6 } as const;
  const run = (given: Partial<Job>, own?: Parameters<typeof runJob>[1]) => runJob({ ...usual, ...given }, own);

  const jobs = { 'ada\nada\n': { mode: 'keep' }, 'bob\n': { mode: 'drop' }, 'ada\nbob\n': once } as const;
  it.each(Object.entries(jobs))('gives the lines: %j by %o', async (expected, given) => {
    const { text, previews, progress, read, kept } = await run(given);
    expect([text, previews]).toEqual([expected, [expected.trim().split('\n')]]);
    expect([read, kept]).toEqual([3, expected.split('\n').length - 1]);
    expect(progress.at(-1)?.bytes).toBe(progress.at(-1)?.totalBytes);
  });

  it.each([...new Set([...classes, FingerprintSet])].map((Class) => [Class.kind, Class] as const))(
    'takes a saved filter of every kind of the command line, and a set: %s',
    async (kind, Class) => {
      const file = new Blob([(Class as typeof BloomFilter).from(['bob']).toBytes()]);
      const { text, filter, hint } = await run({ list: { file, reading: undefined }, errorRate: 0 });
      expect([text, filter.kind, hint]).toEqual(['bob\n', kind, undefined]);
    },
  );

  it.each([0, 0.01])('keeps every line once, in a set or in a filter for an error rate: %d', async (errorRate) => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i % 20_000}\n`);
    const { text, kept, lost, filter, hint } = await run({ ...once, errorRate, text: asText(new Blob(lines)) });
    expect([filter.kind, hint]).toEqual([errorRate === 0 ? 'fingerprint-set' : 'blocked', undefined]);
    if (errorRate === 0) {
      expect(text === lines.slice(0, 20_000).join('')).toBe(true);
      // Pairs of lines, each with a chance of 2^-96.
      expect(lost / ((20_000 * 20_000) / 2 / 2 ** 96)).toBeCloseTo(1, 3);
    } else {
      expect(kept).toBeLessThan(20_000);
      expect(Math.abs(20_000 - kept - lost)).toBeLessThan(6 * Math.sqrt(lost));
    }
  });

  it('says that a filter took over, of a list that is too large for a set', async () => {
    vi.spyOn(FingerprintSet.prototype, 'addMany').mockThrow(full());
    const { filter, hint, text } = await run({ errorRate: 0 });
    expect([filter.kind, filter.errorRate, text]).toEqual(['wide', 1e-6, 'ada\nada\n']);
    expect(hint).toMatch(/a filter took over/);
  });

  it('tells from the beginning how much there is to read of a list that is zipped', async () => {
    const list = asText(gzipSync('ada\n'.repeat(1000)));
    const { progress } = await run({ list });
    expect(new Set(progress.map(({ totalBytes }) => totalBytes))).toEqual(new Set([4012]));
  });

  it('says why nothing matches', async () => {
    const text = asText('ada,1\nbob,2\n', { form: 'comma' });
    for (const mode of ['keep', 'drop'] as const) {
      expect((await run({ mode, text })).hint).toMatch(/tick the column/);
      expect((await run({ mode })).hint).toBeUndefined();
    }
  });

  const notJson = expect.stringMatching(/^Line 2 is not JSON: .* Mend it, or read the file as lines\.$/);

  it.each([
    [{ list: asText('') }, 'list', 'It is empty.'],
    [{ list: { file: new Blob([]), reading: undefined } }, 'list', 'It is empty.'],
    [{ text: asText('\0\0') }, 'text', expect.stringMatching(/^It is binary/)],
    [{ text: asText('a,b\n1,"2\n', { form: 'comma' }) }, 'text', expect.stringMatching(/^Line 2 is not CSV: its last/)],
    [{ list: asText('{"a":1}\n{"a"\n', { form: 'json', members: [['a']] }) }, 'list', notJson],
  ] as const)('names the input that is wrong: %o', async (given, source, message) => {
    const error = await run(given).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ source, message });
  });

  it('takes some time even where the clock stands still', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(7);
    expect((await run({})).seconds).toBe(0.001);
  });

  it('reads again if a text has more lines than its samples suggest', async () => {
    // Long lines in the part that is looked at, and short ones after it.
    const long = `${'x'.repeat(1023)}\n`.repeat(2000);
    const { read, filter, progress } = await run({ ...once, text: asText(`${long}${'y\n'.repeat(400_000)}`) });
    expect(read).toBe(402_000);
    expect(filter.capacity).toBeGreaterThanOrEqual(read);
    expect(progress.map(({ phase }) => phase)).toContain('again');
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    const text = asText('ten bytes\n'.repeat(4_000_000));
    let read = 0;
    const onProgress = ({ bytes: count }: Progress): void => {
      read = count;
      controller.abort();
    };
    await expect(run({ ...once, text }, { signal: controller.signal, onProgress })).rejects.toThrow();
    expect(read).toBeLessThan(text.file.size);
  });

  it.each(['lines', 'filter'] as const)('keeps no filter of a list if it is aborted: %s', async (form) => {
    const file = new Blob([BloomFilter.from(['ada']).toBytes()]);
    const list = form === 'lines' ? asText('ada\n') : { file, reading: undefined };
    const controller = new AbortController();
    const Class = form === 'lines' ? WideBlockedBloomFilter : BloomFilter;
    const spy = vi.spyOn(Class.prototype, 'pick');
    const onProgress = ({ phase }: Progress): void => {
      if (phase === 'filter') controller.abort(new Error('enough'));
    };
    await expect(run({ list }, { signal: controller.signal, onProgress })).rejects.toThrow('enough');
    const [made] = spy.mock.contexts;
    expect(() => (made as InstanceType<typeof BloomFilter>).has('ada')).toThrow(/after dispose/);
  });

  it('keeps no filter that is only described', async () => {
    const spy = vi.spyOn(BloomFilter.prototype, 'dispose');
    const { kind } = await inspectFilter(new Blob([BloomFilter.from(['ada']).toBytes()]));
    expect([kind, spy.mock.calls.length]).toEqual(['classic', 1]);
  });

  it('writes to a file, and gives up what was written if it fails', async () => {
    const calls: string[] = [];
    const stream = {
      write: async (part: Blob) => void calls.push(await part.text()),
      close: async () => void calls.push('close'),
      abort: async () => void calls.push('abort'),
    };
    const destination = { createWritable: async () => stream } as unknown as FileSystemFileHandle;
    expect((await run({ destination })).blob).toBeUndefined();
    expect(calls.splice(0)).toEqual(['ada\nada\n', 'close']);
    // A long one in parts.
    const long = 'ada\n'.repeat(2 ** 19);
    await run({ text: asText(long), destination });
    const [end, ...parts] = calls.splice(0).reverse();
    expect([end, parts.length > 1, parts.join('') === long]).toEqual(['close', true, true]);
    // Looked at twice, and gone when it is read.
    let slices = 0;
    const gone = new Blob(['ada\n']);
    const slice = (start: number, end: number): Blob => {
      if (++slices > 2) throw new DOMException('gone', 'NotReadableError');
      return Blob.prototype.slice.call(gone, start, end);
    };
    const text = { file: Object.assign(gone, { slice }), reading: asLines };
    await expect(run({ text, destination })).rejects.toThrow('is gone');
    expect(calls).toEqual(['abort']);
  });
});

it('the filter of a job is kept to be saved until the next job, even if that fails', async () => {
  const replies: Reply[] = [];
  vi.stubGlobal('postMessage', (reply: Reply) => reply.type !== 'progress' && replies.push(reply));
  const job = (text: string): Request => ({ type: 'run', job: { ...usualJob, mode: 'once', text: asText(text) } });
  for (const request of [job('a\n'), { type: 'save' }, job(''), { type: 'save' }] as const) await take(request);
  const types = replies.map(({ type }) => type);
  expect(types).toEqual(['preview', 'result', 'saved', 'failed', 'failed']);
  expect(replies.at(-1)).toMatchObject({ message: 'There is no filter to save.' });
});

it.each([
  [2, 2 ** 29],
  [32, 2 ** 31],
])('a set may take a quarter of the memory, and no more than plain JavaScript has: of %d GiB', async (memory, most) => {
  vi.stubGlobal('navigator', { deviceMemory: memory });
  vi.resetModules();
  expect((await import('../src/filter-list/job.ts')).MOST_SET_BYTES).toBe(most);
});

it.each([
  ['a\nb\n', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a', ['a']],
  ['a\nb', ['a']],
  [`${'x'.repeat(500)}\ny\n`, ['x'.repeat(200), 'y']],
  ['a\n'.repeat(11), Array.from({ length: 10 }, () => 'a')],
])('the preview has whole lines, shortened: %j', (text, lines) => expect(firstLines(bytes(text))).toEqual(lines));

it('the progress tells the speed, and the time that is left as soon as it is known', () => {
  const said = (bytes: number): string =>
    words.progressText({ phase: 'filter', bytes, totalBytes: 100, lines: 50, read: 0, kept: 0 }, 2);
  expect(said(25)).toBe('Filtering · 25 bytes of 100 bytes · 25 lines/s · 6 s left');
  expect(said(0)).toBe('Filtering · 0 bytes of 100 bytes · 25 lines/s');
});

it('lines that are lost are none without lines, and bounded in a full filter', () => {
  expect(expectedLosses(0, () => 1)).toBe(0);
  expect(expectedLosses(3, () => 0.5)).toBeCloseTo(3);
  expect(expectedLosses(3, () => 1)).toBeGreaterThan(1e6);
});

describe('the words', () => {
  const result = (read: number, kept: number, estimatedErrorRate: number, lost = 0): Result =>
    ({ read, kept, lost, filter: { estimatedErrorRate } as FilterFacts }) as Result;

  it('expects errors among the lines that the list does not have', () => {
    // Of 1000 absent lines, 10 look present and 990 absent.
    expect(words.expectedErrors('drop', result(5000, 990, 0.01))).toBeCloseTo(10);
    expect(words.expectedErrors('keep', result(5000, 4010, 0.01))).toBeCloseTo(10);
    expect(words.expectedErrors('once', result(2000, 990, 0.01, 1.5))).toBe(1.5);
    expect(words.expectedErrors('keep', result(10, 10, 1))).toBe(0);
  });

  it('never say that nothing is wrong where something may be', () => {
    const said = (mode: Mode, given: Partial<Result>, kind: string, estimatedErrorRate = 1e-6): string => {
      const filter = { kind, estimatedErrorRate } as FilterFacts;
      return words.expectedErrorsText(mode, { read: 2000, kept: 1000, lost: 0, ...given, filter } as Result);
    };
    const lost = /^Lines lost by error, on average: 0.00012 of 1,000 different/;
    expect(said('once', { lost: 0.000_123_4 }, 'wide')).toMatch(lost);
    expect(said('drop', {}, 'wide')).toMatch(/^Lines dropped by error, on average: 0.001 of 1,000 dropped/);
    expect(said('keep', {}, 'wide', 1e-12)).toMatch(/: 1 × 10⁻⁹ of|: 10⁻⁹ of/);
    const exact = 'Exact: the chance that any line is wrong is less than 1 in a trillion.';
    expect(said('once', { lost: 1e-20 }, 'fingerprint-set')).toBe(exact);
    expect(said('keep', {}, 'fingerprint-set', 1e-9)).toMatch(/wrong is 1 in 1,000,000\.$/);
    expect(said('keep', { kept: 2000 }, 'fingerprint-set', 1e-9)).toBe('Exact.');
  });

  it('tell an exact set from a filter', () => {
    const saved = { capacity: 1234, errorRate: 1e-9, byteLength: 1, fillRatio: 0, estimatedCount: 1200 };
    const [set, filter] = ['fingerprint-set', 'wide'].map((kind) => ({ ...saved, kind }) as FilterFacts);
    const all = [set, filter].map((facts) => [
      words.savedText(facts as FilterFacts),
      words.rateText('keep', 0, facts),
      Object.fromEntries(words.factRows(facts as FilterFacts))['keys in it'],
    ]);
    expect(all).toEqual([
      ['an exact set of 1,234 keys', 'A saved set is exact.', '1,234'],
      ['a wide filter, made for 1,234 keys', 'A saved filter has an error rate of its own.', 'about 1,200'],
    ]);
    expect(words.rateText('drop', 0, undefined)).toMatch(/^Exact, up to about [\d,]+ different lines/);
    expect(words.rateText('drop', 0.01, undefined)).toMatch(/this share .* on average/);
  });

  it.each([
    ['urls.txt', 'urls-left.txt', 'urls.bloom'],
    ['urls', 'urls-left.txt', 'urls.bloom'],
    ['a.b.csv', 'a.b-left.csv', 'a.b.bloom'],
    ['.hidden', '.hidden-left.txt', 'list.bloom'],
    ['urls.txt.gz', 'urls-left.txt', 'urls.bloom'],
    ['URLS.GZ', 'URLS-left.txt', 'URLS.bloom'],
    ['.gz', '.gz-left.txt', 'list.bloom'],
  ])('names files: %s', (name, left, filter) => {
    expect(words.resultName(name, 'drop')).toBe(left);
    expect(words.filterName(name)).toBe(filter);
  });
});

describe('the view of a result', () => {
  const size = { capacity: 3, errorRate: 0.01, cellCount: 512, hashes: 8, seed: 0, byteLength: 64 };
  const estimates = { fillRatio: 0.1, estimatedCount: 3, estimatedErrorRate: 0.001 };
  const filter: FilterFacts = { kind: 'wide', engine: 'js', cellName: 'bits', ...size, ...estimates };
  const names = { text: 'a.txt', list: 'b.txt', by: '' };

  it('has nothing of an earlier run when one begins', () => {
    const first = begun('keep', names);
    const result = { read: 9, kept: 4, added: 3, seconds: 2, lost: 0, hint: 'a hint', filter, blob: undefined };
    const full = { ...first, ...ended('keep', result) };
    expect(full).toMatchObject({ lines: '9', kept: '4', dropped: '5', speed: '6', time: '2.0 s', hint: 'a hint' });
    // What a filter is called is known before.
    const fixed = ['result-of', 'kept-name', 'dropped-name', 'memory-title', 'save-filter'];
    expect(Object.keys(full).filter((id) => full[id] === first[id])).toEqual(fixed);
  });
});

describe('dropped files', () => {
  const list = (name: string) => ({ name, isFilter: false });
  const [text, other, third] = [list('a.txt'), list('b.txt'), list('c.txt')] as const;
  const filter = { name: 'd.bloom', isFilter: true };
  const empty: Situation = { mode: 'keep', target: undefined, hasText: false, hasList: false };

  it.each([
    ['one', [text], {}, 'a.txt', undefined, []],
    ['one, where there are lines', [text], { hasText: true }, undefined, 'a.txt', []],
    ['one, where there is everything', [text], { hasText: true, hasList: true }, 'a.txt', undefined, []],
    ['one onto the list', [text], { target: 'list' }, undefined, 'a.txt', []],
    ['one onto the lines', [text], { target: 'text', hasText: true }, 'a.txt', undefined, []],
    ['two', [text, other], {}, 'a.txt', 'b.txt', []],
    ['two onto the list', [text, other], { target: 'list' }, 'a.txt', 'b.txt', []],
    ['three', [text, other, third], {}, 'a.txt', 'b.txt', ['c.txt']],
    ['a filter', [filter], { target: 'text' }, undefined, 'd.bloom', []],
    ['a filter and lines', [filter, text], {}, 'a.txt', 'd.bloom', []],
    ['a filter and two', [text, filter, other], {}, 'a.txt', 'd.bloom', ['b.txt']],
    ['two for one list', [text, other], { mode: 'once' }, 'a.txt', undefined, ['b.txt']],
    ['one for one list', [text], { mode: 'once', hasText: true }, 'a.txt', undefined, []],
    ['a filter for one list', [filter], { mode: 'once' }, undefined, undefined, ['d.bloom']],
    ['none', [], {}, undefined, undefined, []],
  ] as const)('go where they belong, or are named: %s', (_, files, situation, toText, toList, left) => {
    const placed = placeDrop<{ name: string; isFilter: boolean }>(files, { ...empty, ...situation });
    expect([placed.text?.name, placed.list?.name]).toEqual([toText, toList]);
    expect(placed.said === '').toBe(left.length === 0);
    for (const name of left) expect(placed.said).toContain(name);
  });
});
