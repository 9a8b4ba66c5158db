import { describe, expect, it } from 'vitest';
import { classes } from '../../cli/filters/kinds.ts';
import { chooseEngine } from '../src/engine.ts';
import { placeDrop, type Situation } from '../src/filter-list/drops.ts';
import { hintFor } from '../src/filter-list/hints.ts';
import { InputError } from '../src/filter-list/input-error.ts';
import type { FilterFacts, Job, Progress, Result } from '../src/filter-list/job.ts';
import { expectedLosses } from '../src/filter-list/losses.ts';
import { firstLines } from '../src/filter-list/output.ts';
import { begun, counted, ended } from '../src/filter-list/result-view.ts';
import { withRoom } from '../src/filter-list/room.ts';
import { runJob } from '../src/filter-list/run.ts';
import { expectedErrors, filterName, resultName } from '../src/filter-list/wording.ts';

const engine = await chooseEngine();
const { BloomFilter } = engine;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

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

  it('says why nothing matches', async () => {
    const given = job({ text: new Blob(['ada,1\nbob,2\n']) });
    const { result } = await runJob(engine, given, watched().watcher);
    expect(result.hint).toMatch(/have columns, divided by commas/);
    expect((await runJob(engine, job({}), watched().watcher)).result.hint).toBeUndefined();
  });

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

  it.each(['lines', 'filter'] as const)('keeps no filter of a list if it is aborted: %s', async (form) => {
    const filter = BloomFilter.from(['ada']);
    const file = new Blob([form === 'lines' ? 'ada\n' : filter.toBytes()]);
    const controller = new AbortController();
    const { watcher } = watched(controller.signal);
    let made: Parameters<typeof engine.pickLines>[0] | undefined;
    const pickLines: typeof engine.pickLines = (given, options) => {
      made = given;
      controller.abort(new Error('enough'));
      return engine.pickLines(given, options);
    };
    await expect(runJob({ ...engine, pickLines }, job({ list: { form, file } }), watcher)).rejects.toThrow();
    expect(made).toBeDefined();
    expect(() => (made as typeof filter).has('ada')).toThrow(/after dispose/);
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
});

describe('lines that are lost', () => {
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

  it.each([
    ['urls.txt', 'urls-left.txt', 'urls.bloom'],
    ['urls', 'urls-left.txt', 'urls.bloom'],
    ['a.b.csv', 'a.b-left.csv', 'a.b.bloom'],
    ['.hidden', '.hidden-left.txt', 'list.bloom'],
    ['urls.txt.gz', 'urls-left.txt', 'urls.bloom'],
    ['URLS.GZ', 'URLS-left.txt', 'URLS.bloom'],
    ['.gz', '.gz-left.txt', 'list.bloom'],
  ])('names files: %s', (name, left, filter) => {
    expect(resultName(name, 'drop')).toBe(left);
    expect(filterName(name)).toBe(filter);
  });
});

describe('the view of a result', () => {
  const names = { text: 'a.txt', list: 'b.txt' };
  const filter = {
    kind: 'wide',
    engine: 'js',
    capacity: 3,
    errorRate: 0.01,
    cellName: 'bits',
    cellCount: 512,
    hashes: 8,
    seed: 0,
    byteLength: 64,
    fillRatio: 0.1,
    estimatedCount: 3,
    estimatedErrorRate: 0.001,
  } as const;
  const result: Result = {
    read: 9,
    kept: 4,
    added: 3,
    seconds: 2,
    lost: 0,
    hint: 'a hint',
    filter,
    blob: undefined,
  };

  it('has nothing of an earlier run when one begins', () => {
    const first = begun('keep', names);
    const full = ended({ ...first, preview: ['ada'] }, 'keep', result);
    expect(full).toMatchObject({ lines: '9', kept: '4', dropped: '5', speed: '6', time: '2.0 s', hint: 'a hint' });
    // Each field that is empty at the beginning is filled in at the end, so what begin leaves out would show here.
    for (const [field, value] of Object.entries(full)) {
      const isFixed = ['title', 'keptName', 'droppedName'].includes(field);
      expect([field, value === first[field as keyof typeof first]]).toEqual([field, isFixed]);
    }
    const next = begun('keep', names);
    expect(counted(next, 2, 1)).toEqual({ ...first, lines: '2', kept: '1', dropped: '1' });
  });
});

describe('dropped files', () => {
  const text = { name: 'a.txt', isFilter: false };
  const other = { name: 'b.txt', isFilter: false };
  const third = { name: 'c.txt', isFilter: false };
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

describe('a hint at why nothing matches', () => {
  const none = { read: 3, kept: 0 };
  const hint = (text: string | Uint8Array, list: string | Uint8Array | undefined, mode: 'keep' | 'drop' = 'keep') =>
    hintFor(
      mode,
      mode === 'keep' ? none : { read: 3, kept: 3 },
      typeof text === 'string' ? bytes(text) : text,
      typeof list === 'string' ? bytes(list) : list,
    );

  it.each([
    ['a,1\nb,2\n', 'c\nd\n', /lines to filter have columns, divided by commas/],
    ['a\nb\n', 'c;1\nd;2\n', /second list has columns, divided by semicolons/],
    ['a\t1\nb\t2\n', 'c,1\nd,2\n', /Both have columns, divided by tabs/],
    ['a,1', undefined, /divided by commas/],
    ['"a"\n"b"\n', 'a\nb\n', /in quotes/],
    ['ADA\nBob\n', 'ada\nbob\n', /upper and lower case/],
    ['ada \nbob\n', 'ada\neve\n', /spaces at their ends/],
    [Uint8Array.of(0xe9, 10, 0x61, 10), 'é\na\n', /not in UTF-8/],
    ['a\nb\n', 'c\nd\n', undefined],
    ['a,b\nc\nd\n', 'e\nf\n', undefined],
    ['', '', undefined],
  ])('is made of the first lines: %j in %j', (text, list, expected) => {
    for (const mode of ['keep', 'drop'] as const) {
      const said = hint(text, list, mode);
      if (expected === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(expected);
    }
  });

  it('is not given where lines match, or where there is no list', () => {
    const [text, list] = [bytes('a,1\n'), bytes('b,2\n')];
    expect(hintFor('keep', { read: 3, kept: 1 }, text, list)).toBeUndefined();
    expect(hintFor('drop', { read: 3, kept: 2 }, text, list)).toBeUndefined();
    expect(hintFor('keep', { read: 0, kept: 0 }, text, list)).toBeUndefined();
    expect(hintFor('once', { read: 3, kept: 0 }, text, list)).toBeUndefined();
  });

  it('says why characters are not shown, of a text that is not UTF-8', () => {
    const text = Uint8Array.of(0xe9, 10, 0x61, 10);
    for (const mode of ['keep', 'drop', 'once'] as const) {
      expect(hintFor(mode, { read: 2, kept: 1 }, text, bytes('a\n'))).toMatch(
        /^The lines are not in UTF-8, so � is shown/,
      );
    }
  });

  it('takes a beginning that is cut within a character', () => {
    expect(hint(bytes('é\né').subarray(0, 4), 'a\nb\n')).toBeUndefined();
  });
});
