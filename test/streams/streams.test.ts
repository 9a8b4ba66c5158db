import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  addLines,
  BloomFilter,
  dedupeLines,
  type KeyLines,
  type LineOptions,
  type LineProgress,
  lines,
  omitLines,
  pickLines,
} from '../../src/index.ts';
import { BEGINNINGS } from '../../src/streams/first-bytes.ts';
import { splitAt } from '../format/saved.ts';
import { concat, drain, inChunks, readAll, sourceOf, text } from '../shared/stream-tools.ts';

const verbs = { pick: pickLines, omit: omitLines, dedupe: dedupeLines } as const;
type Verb = keyof typeof verbs;
const names = Object.keys(verbs) as Verb[];

/** Line ends and contents of every kind in few bytes: empty lines, lone carriage returns, invalid UTF-8. */
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', '', '\r', 'é', '\0').map(text) },
  { weight: 6, arbitrary: fc.constantFrom('\n', '\n', '\r\n', '\n\n').map(text) },
  { weight: 1, arbitrary: fc.constantFrom(Uint8Array.of(0xff, 0xc3), Uint8Array.of(0x80)) },
);
const texts = fc.array(part, { maxLength: 40 }).map(concat);
const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 12 });

const through = async (filter: BloomFilter, verb: Verb, chunks: Iterable<Uint8Array>, options?: LineOptions) =>
  concat(await readAll(sourceOf(chunks).pipeThrough(verbs[verb](filter, options))));

/** The first turn of the event loop ends after 10 ms. After that, even a short chunk waits for the next turn. */
function endFirstTurn(): void {
  for (const until = performance.now() + 20; performance.now() < until; );
}

describe('a stream of lines', () => {
  const filterOf = (...keys: string[]): BloomFilter => BloomFilter.from(keys, { errorRate: 1e-5 });

  it('gives the bytes of the whole text, and adds its keys, wherever it is cut', async () => {
    // Small enough for false positives in every run: the same lines must be picked despite them.
    const small = (): BloomFilter => new BloomFilter({ bits: 300, hashes: 3 }).addMany(['a', 'ab', 'a\r', '']);
    await fc.assert(
      fc.asyncProperty(texts, cuts, fc.boolean(), fc.constantFrom(...names), async (bytes, at, crlf, verb) => {
        using whole = small();
        using cut = small();
        // Two cuts at the same place make an empty chunk.
        const chunks = splitAt(
          bytes,
          at.filter((cut) => cut <= bytes.length).sort((a, b) => a - b),
        );
        expect(await through(cut, verb, chunks, { crlf })).toEqual(whole[verb](lines(bytes, { crlf })).bytes);
        expect(cut.equals(whole)).toBe(true);
        const count = lines(bytes).count();
        const progress = await addLines(cut, sourceOf(chunks), { crlf });
        expect(progress).toEqual({ bytes: bytes.length, lines: count, kept: count });
        expect(cut.equals(whole.addMany(lines(bytes, { crlf })))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('dedupes with any object that can, such as one of several filters', async () => {
    const old = filterOf('a');
    const recent = filterOf('b');
    const both = { dedupe: (given: KeyLines) => recent.dedupe(old.omit(given)) };
    const seen: LineProgress[] = [];
    const stream = dedupeLines(both, { onProgress: (progress) => seen.push(progress) });
    const out = await readAll(sourceOf([text('a\nb\nc\nd'), text('\nc\n')]).pipeThrough(stream));
    expect(concat(out)).toEqual(text('c\nd\n'));
    expect(seen.at(-1)).toEqual({ bytes: 10, lines: 5, kept: 2 });
    expect([...recent.hasMany(['a', 'c', 'd'])]).toEqual([0, 1, 1]);
    // But not with one that gives promises, whatever their class.
    const later = { addMany: () => Object.fromEntries([['then', () => {}]]) };
    const refused = 'filter must be a sync filter, got an object (Object)';
    await expect(addLines(later, sourceOf([text('a\n')]))).rejects.toThrow(refused);
  });

  it('takes a byte order mark for part of the first line, as lines does', async () => {
    const marked = concat([Uint8Array.of(0xef, 0xbb, 0xbf), text('a\na\n')]);
    expect(await through(filterOf('a'), 'omit', inChunks(marked, 2))).toEqual(marked.subarray(0, 5));
    expect(await through(filterOf('a'), 'pick', [marked.subarray(3)])).toEqual(text('a\na\n'));
  });

  it('takes lines longer than any chunk, slice or scratch', async () => {
    const long = `${'x'.repeat(300_000)}é`;
    const whole = text(`a\n${long}\r\nb\n${long}y\n\n${long}`);
    const filter = filterOf(long);
    const wanted = filter.pick(lines(whole)).bytes;
    expect(wanted.length).toBe(2 * 300_002 + 2);
    for (const size of [7, 1000, 65_535, 65_536, 65_537, 300_001, 300_004, whole.length]) {
      const given = concat(await readAll(sourceOf(inChunks(whole, size)).pipeThrough(pickLines(filter))));
      // An array this long takes toEqual seconds.
      expect(Buffer.compare(given, wanted)).toBe(0);
    }
  });

  it('refuses bad arguments at once', () => {
    const filter = filterOf('a');
    for (const make of Object.values(verbs)) {
      for (const wrong of [undefined, null, 5, 'filter', {}, new Set(['a']), []]) {
        expect(() => make(wrong as never)).toThrow(/^filter must be a filter with (pick|omit|dedupe)\(\), got /);
      }
      const wrongOptions: [unknown, string][] = [
        [{ crlf: 1 }, 'options.crlf must be a boolean, got 1'],
        [{ onProgress: 1 }, 'options.onProgress must be a function, got 1'],
        [{ signal: {} }, 'options.signal must be an AbortSignal, got an object'],
        [{ signal: null }, 'options.signal must be an AbortSignal, got null'],
      ];
      for (const [wrong, message] of wrongOptions) expect(() => make(filter, wrong as never)).toThrow(message);
    }
  });

  it.each([
    ['a string', 'abc', '"abc"'],
    ['other numbers', new Uint16Array(2), 'an object (Uint16Array)'],
  ])('fails with an error that names a chunk that is %s', async (_, chunk, shown) => {
    const filter = filterOf('a');
    const message = `chunk must be a Uint8Array, got ${shown}`;
    const piped = sourceOf([text('a\n'), chunk as never]).pipeThrough(pickLines(filter));
    await expect(readAll(piped)).rejects.toThrow(new TypeError(message));
    await expect(addLines(filter, sourceOf([chunk as never]))).rejects.toThrow(new TypeError(message));
  });

  it('notices that a chunk was transferred while it was read', async () => {
    const close = vi.spyOn(MessagePort.prototype, 'close');
    const filter = filterOf('a');
    const chunk = new Uint8Array(2 ** 25).fill(10);
    const stream = omitLines(filter);
    const out = drain(stream.readable).catch(() => {});
    const writer = stream.writable.getWriter();
    const written = writer.write(chunk);
    setTimeout(() => structuredClone(chunk.buffer, { transfer: [chunk.buffer] }), 5);
    await expect(written).rejects.toThrow(/^chunk must not be transferred/);
    await out;
    // It has paused, with a port that would keep the process from ending.
    expect(close).toHaveBeenCalled();
  });

  it('notices this even if only the last slice was left', async () => {
    const stream = omitLines(filterOf('a'));
    endFirstTurn();
    const chunk = new Uint8Array(100).fill(10);
    const written = stream.writable.getWriter().write(chunk);
    const out = drain(stream.readable).catch(() => {});
    await Promise.resolve();
    structuredClone(chunk.buffer, { transfer: [chunk.buffer] });
    await expect(written).rejects.toThrow(/^chunk must (not be transferred|be a Uint8Array)/);
    await out;
  });

  it('takes turns where there is no MessageChannel, as on Cloudflare Workers', async () => {
    vi.stubGlobal('MessageChannel', undefined);
    const stream = pickLines(filterOf('a'));
    endFirstTurn();
    expect(await readAll(sourceOf([text('a\n')]).pipeThrough(stream))).toEqual([text('a\n')]);
  });

  describe('onProgress', () => {
    it('is called for each chunk and at the end', async () => {
      const seen: string[] = [];
      const onProgress = ({ bytes, lines, kept }: LineProgress) => seen.push(`${bytes}, ${lines}, ${kept}`);
      const out = await through(filterOf('a'), 'pick', inChunks(text('a\nb\na\r\n\nab\na'), 3), { onProgress });
      expect(out).toEqual(text('a\na\r\na'));
      expect(seen).toEqual(['3, 1, 1', '6, 2, 1', '9, 4, 2', '12, 5, 2', '12, 6, 3']);
    });

    it('may end the stream by throwing', async () => {
      const onProgress = vi.fn().mockThrow(new Error('enough'));
      await expect(through(filterOf('a'), 'pick', [text('a\n')], { onProgress })).rejects.toThrow('enough');
    });
  });

  describe('signal', () => {
    const reason = new Error('the user went away');

    it('ends the stream at once, even if no chunk arrives', async () => {
      const aborter = new AbortController();
      const stream = pickLines(filterOf('a'), { signal: aborter.signal });
      const reader = stream.readable.getReader();
      const writer = stream.writable.getWriter();
      void writer.write(text('a\na')).catch(() => {});
      expect((await reader.read()).value).toEqual(text('a\n'));
      const next = reader.read();
      aborter.abort(reason);
      await expect(next).rejects.toBe(reason);
      await expect(writer.closed).rejects.toBe(reason);
    });

    it('ends the stream in the middle of a chunk', async () => {
      const aborter = new AbortController();
      const filter = filterOf('a');
      const stream = omitLines(filter, { signal: aborter.signal });
      const out = drain(stream.readable);
      setTimeout(() => aborter.abort(reason), 5);
      const written = stream.writable.getWriter().write(new Uint8Array(2 ** 25).fill(10));
      await expect(out).rejects.toBe(reason);
      await expect(written).rejects.toBe(reason);
    });

    it('ends addLines at once, even if no chunk arrives', async () => {
      const aborter = new AbortController();
      const { signal } = aborter;
      const cancel = vi.fn();
      const added = addLines(filterOf('a'), new ReadableStream({ cancel }), { signal });
      const fail = (controller: ReadableStreamDefaultController): void =>
        signal.addEventListener('abort', () => controller.error(new Error('from the source')), { once: true });
      const failing = addLines(filterOf('a'), new ReadableStream({ start: fail }), { signal });
      aborter.abort(reason);
      await expect(added).rejects.toBe(reason);
      await expect(failing).rejects.toBe(reason);
      expect(cancel.mock.calls).toEqual([[reason]]);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('may be aborted beforehand', async () => {
      const signal = AbortSignal.abort(reason);
      await expect(through(filterOf('a'), 'pick', [text('a')], { signal })).rejects.toBe(reason);
      await expect(addLines(filterOf('a'), sourceOf([text('b\n')]), { signal })).rejects.toBe(reason);
    });

    it('has no effect after the stream has ended, or has failed with a chunk that is none or a filter that is disposed of', async () => {
      const aborter = new AbortController();
      const { signal } = aborter;
      expect(await through(filterOf('a'), 'pick', [text('a\n')], { signal })).toEqual(text('a\n'));
      await expect(through(filterOf('a'), 'pick', ['a' as never], { signal })).rejects.toThrow(TypeError);
      const gone = filterOf('a');
      gone.dispose();
      await expect(through(gone, 'pick', [text('a')], { signal })).rejects.toThrow(/after dispose/);
      await expect(addLines(gone, sourceOf([text('a\n')]), { signal })).rejects.toThrow(/after dispose/);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      aborter.abort();
    });

    it('is let go of once either side is canceled, where the runtime says so', async () => {
      const cancel = vi.fn();
      await new TransformStream({ cancel } as Transformer).readable.cancel();
      for (const side of ['readable', 'writable'] as const) {
        const { signal } = new AbortController();
        const stream = pickLines(filterOf('a'), { signal });
        expect(getEventListeners(signal, 'abort')).toHaveLength(1);
        await (side === 'readable' ? stream.readable.cancel() : stream.writable.abort());
        expect(getEventListeners(signal, 'abort')).toHaveLength(1 - cancel.mock.calls.length);
      }
    });

    it('ends addLines, whatever it is waiting for', async () => {
      const aborters = [new AbortController(), new AbortController()] as const;
      const wait = (i: 0 | 1): Promise<never> => {
        setImmediate(() => aborters[i].abort(reason));
        return new Promise(() => {});
      };
      const never = async function* (): AsyncGenerator<Uint8Array> {
        yield text('a\nb\nc');
        await wait(0);
      };
      const stuck = new ReadableStream<Uint8Array>({ pull: () => wait(1) });
      for (const [i, source] of [never(), stuck].entries()) {
        const filter = filterOf('z');
        await expect(addLines(filter, source, { signal: aborters[i]?.signal as AbortSignal })).rejects.toBe(reason);
        expect([...filter.hasMany(['b', 'c'])]).toEqual([i === 0 ? 1 : 0, 0]);
      }
    });
  });

  it('makes addLines read one chunk at a time, whose memory may be used again', async () => {
    const memory = new Uint8Array(3);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (const letter of 'abcdefghij') {
        memory.set(text(`\n${letter}${letter}`));
        yield memory;
      }
    }
    const filter = filterOf('x');
    expect(await addLines(filter, chunks())).toEqual({ bytes: 30, lines: 11, kept: 11 });
    const twice = [...'abcdefghij'].map((letter) => letter.repeat(2));
    expect(filter.equals(filterOf('x').addMany(['', ...twice]))).toBe(true);
  });

  it('lets timers run while it reads a large chunk', async () => {
    let times = 0;
    const timer = setInterval(() => times++);
    await drain(sourceOf([new Uint8Array(2 ** 25).fill(10)]).pipeThrough(pickLines(filterOf('a'))));
    clearInterval(timer);
    expect(times).toBeGreaterThan(3);
  });

  it('refuses what is not a stream', async () => {
    const filter = filterOf('a');
    const streams = /^source must be an async iterable of Uint8Array, a ReadableStream, a Blob or a Response, got /;
    for (const wrong of [undefined, null, 'a\nb', 5, {}, [text('a')]]) {
      await expect(addLines(filter, wrong as never)).rejects.toThrow(streams);
    }
    const filters = /^filter must be a filter with addMany\(\), got /;
    await expect(addLines({} as never, sourceOf([]))).rejects.toThrow(filters);
    await expect(addLines(filter, sourceOf([]), { crlf: 1 as never })).rejects.toThrow(/^options\.crlf/);
  });

  it.each(['returns no promise', 'throws'])('fails with its own error if closing an iterable %s', async (how) => {
    const close = () => {
      if (how === 'throws') throw new Error('cannot be closed');
      return { done: true };
    };
    const chunks = {
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 5 }), return: close }),
    } as never;
    await expect(addLines(filterOf('a'), chunks)).rejects.toThrow(/^chunk must be a Uint8Array/);
  });
});

describe('a stream that is no text in UTF-8', () => {
  const latin = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (each) => each.charCodeAt(0));
  const refused = ['gzip', 'zstd', 'xz', 'UTF-16'].flatMap((name) => {
    const [, ...beginnings] = BEGINNINGS.find(([each]) => each === name) ?? [name];
    return beginnings.map((each): [string, string] => [name, each]);
  });
  const error = new RangeError('source must be text in UTF-8, not compressed');

  it('is known by the first bytes that its format prescribes', () => {
    const hex = (each: string): string => Buffer.from(each, 'latin1').toString('hex');
    expect(BEGINNINGS.map(([name, ...beginnings]) => [name, ...beginnings.map(hex)].join(' '))).toEqual([
      ...['gzip 1f8b', 'compress 1f9d', 'zstd 28b52ffd', 'xz fd377a585a00', 'lzma 5d0000'],
      `bzip2 ${Array.from('123456789', (level) => `425a683${level}314159265359`).join(' ')}`,
      ...['lz4 04224d18', 'lzip 4c5a495001', 'lzop 894c5a4f00', 'zip 504b0304 504b0506', '7z 377abcaf271c'],
      ...['rar 526172211a07', 'UTF-32 fffe0000 0000feff', 'UTF-16 fffe feff'],
    ]);
  });

  it.each(refused)('is refused before a line is added: %s %j', async (_, beginning) => {
    const bytes = latin(`${beginning}a\nb\n`);
    for (const at of [[], [1], [1, 2, 3]]) {
      const filter = new BloomFilter({ bits: 500, hashes: 2 });
      const empty = filter.toBytes();
      await expect(addLines(filter, sourceOf(splitAt(bytes, at)))).rejects.toThrow(error);
      await expect(readAll(sourceOf(splitAt(bytes, at)).pipeThrough(dedupeLines(filter)))).rejects.toThrow(error);
      expect(filter.toBytes()).toEqual(empty);
    }
  });

  it('is told by its beginning alone', async () => {
    const lines = ['', 'a\n', 'a', '\x1f', 'BZ', 'PK', '\xff', ...refused.map(([, beginning]) => `a\n${beginning}\n`)];
    for (const line of lines) {
      const filter = new BloomFilter({ bits: 500, hashes: 2 });
      const { bytes } = await addLines(filter, sourceOf([latin(line)]));
      expect(bytes).toBe(line.length);
    }
    for (const [, beginning] of refused) {
      const later = sourceOf([text('\n'), latin(`${beginning}\n`)]);
      expect(await addLines(new BloomFilter({ bits: 500, hashes: 2 }), later)).toMatchObject({ lines: 2 });
    }
  });
});
