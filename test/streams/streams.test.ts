import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  addLines,
  dedupeLines,
  type KeyLines,
  type LineOptions,
  type LineProgress,
  lines,
  omitLines,
  pickLines,
} from '../../src/index.ts';
import { type AnyFilter, combinableKinds } from '../shared/kinds.ts';
import { concat, drain, inChunks, longestStep, readAll, sourceOf, text } from '../shared/stream-tools.ts';

const verbs = { pick: pickLines, omit: omitLines, dedupe: dedupeLines } as const;
type Verb = keyof typeof verbs;
const names = Object.keys(verbs) as Verb[];

/**
 * Line ends and contents of every kind in few bytes: empty lines, lone carriage returns, invalid UTF-8, long lines.
 */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', '', '\r', 'é', '\0').map(text) },
  { weight: 6, arbitrary: fc.constantFrom('\n', '\n', '\r\n', '\n\n').map(text) },
  { weight: 1, arbitrary: fc.constantFrom(Uint8Array.of(0xff, 0xc3), Uint8Array.of(0x80)) },
);
const texts = fc.array(piece, { maxLength: 40 }).map(concat);
const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 12 });

function cutAt(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const sorted = [0, ...at.filter((cut) => cut <= bytes.length), bytes.length].sort((a, b) => a - b);
  // Two cuts at the same place make an empty chunk.
  return sorted.slice(1).map((end, i) => bytes.slice(sorted[i], end));
}

async function through(
  filter: AnyFilter,
  verb: Verb,
  chunks: Iterable<Uint8Array>,
  options?: LineOptions,
): Promise<Uint8Array> {
  return concat(await readAll(sourceOf(chunks).pipeThrough(verbs[verb](filter, options))));
}

describe.each(combinableKinds)('streams of lines: $name', ({ sized, engine }) => {
  /** Small enough for false positives in every run: the same lines must be picked despite them. */
  const small = (): AnyFilter => sized({ cells: 300, hashes: 3 }).addMany(['a', 'ab', 'a\r', '']);

  it('give the same bytes as the whole text, wherever it is cut', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(texts, cuts, fc.boolean(), fc.constantFrom(...names), async (bytes, at, crlf, verb) => {
        using whole = small();
        using cut = small();
        const expected = whole[verb](lines(bytes, { crlf })).bytes;
        const given = await through(cut, verb, cutAt(bytes, at), { crlf });
        expect(given).toEqual(expected);
        expect(cut.equals(whole)).toBe(true);
      }),
      { numRuns: engine.name === 'wasm' ? 5000 : 1000 },
    );
  });

  it('add the same keys as the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(texts, cuts, fc.boolean(), async (bytes, at, crlf) => {
        using whole = sized({ cells: 300, hashes: 3 }).addMany(lines(bytes, { crlf }));
        using cut = sized({ cells: 300, hashes: 3 });
        const chunks = cutAt(bytes, at);
        const count = lines(bytes).count();
        const progress = await addLines(cut, sourceOf(chunks), { crlf });
        expect(progress).toEqual({ bytes: bytes.length, lines: count, kept: count });
        expect(cut.toBytes()).toEqual(whole.toBytes());
      }),
      { numRuns: 300 },
    );
  });

  it('may be cut at every byte', async () => {
    const tricky = concat([
      text('a\r\nb\r\n\n\r\n\r\r\nab\n\0\n'),
      Uint8Array.of(0xff, 0xc3, 10, 0x80),
      text('é\r\na\n\nab\r'),
    ]);
    for (const crlf of [true, false]) {
      for (const verb of names) {
        const expected = small()[verb](lines(tricky, { crlf })).bytes;
        for (let i = 0; i <= tricky.length; i++) {
          for (let j = i; j <= tricky.length; j += 3) {
            expect(await through(small(), verb, cutAt(tricky, [i, j]), { crlf })).toEqual(expected);
          }
        }
        expect(await through(small(), verb, inChunks(tricky, 1), { crlf })).toEqual(expected);
      }
    }
  });
});

describe('a stream of lines', () => {
  const [kind] = combinableKinds;
  if (kind === undefined) throw new Error('there are no kinds');
  const filterOf = (...keys: string[]): AnyFilter => kind.Filter.from(keys, { errorRate: 1e-5 });

  it('gives a last line without a newline unchanged, and no empty chunks', async () => {
    const chunks = await readAll(
      sourceOf([text(''), text('a\nb'), text('\nx\n'), text('a')]).pipeThrough(pickLines(filterOf('a'))),
    );
    expect(chunks).toEqual([text('a\n'), text('a')]);
    expect(await readAll(sourceOf([text('x\ny')]).pipeThrough(pickLines(filterOf('a'))))).toEqual([]);
    expect(await readAll(sourceOf([]).pipeThrough(pickLines(filterOf('a'))))).toEqual([]);
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
  });

  it('takes a byte order mark for part of the first line, as lines does', async () => {
    const marked = concat([Uint8Array.of(0xef, 0xbb, 0xbf), text('a\na\n')]);
    expect(filterOf('a').pick(lines(marked)).bytes).toEqual(text('a\n'));
    expect(filterOf('\ufeffa').pick(lines(marked)).bytes).toEqual(marked.subarray(0, 5));
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

  it('takes linear time for a line of very many chunks', async () => {
    const long = new Uint8Array(4 * 2 ** 20).fill(120);
    const out = await readAll(sourceOf(inChunks(long, 64)).pipeThrough(omitLines(filterOf('a'))));
    expect(concat(out).length).toBe(long.length);
  });

  it('does not read from a chunk after its write has finished', async () => {
    const whole = text('a\nbcd\nab\r\na\n\nab');
    for (const size of [1, 2, 3, 5]) {
      const memory = new Uint8Array(size);
      const stream = pickLines(filterOf('a', 'ab'));
      const out = readAll(stream.readable);
      const writer = stream.writable.getWriter();
      for (const chunk of inChunks(whole, size)) {
        memory.set(chunk);
        await writer.write(memory.subarray(0, chunk.length));
        memory.fill(10);
      }
      await writer.close();
      expect(new TextDecoder().decode(concat(await out))).toBe('a\nab\r\na\nab');
    }
  });

  it('refuses bad arguments at once', () => {
    const filter = filterOf('a');
    for (const make of Object.values(verbs)) {
      for (const wrong of [undefined, null, 5, 'filter', {}, new Set(['a']), []]) {
        expect(() => make(wrong as never)).toThrow(/^filter must be a filter with (pick|omit|dedupe)\(\), got /);
      }
      expect(() => make(filter, null as never)).toThrow(
        /^options must be an object such as \{ crlf: false \}, got null/,
      );
      expect(() => make(filter, { crlf: 1 as never })).toThrow(/^options\.crlf must be a boolean, got 1/);
      expect(() => make(filter, { onProgress: 1 as never })).toThrow(/^options\.onProgress must be a function, got 1/);
      expect(() => make(filter, { signal: {} as never })).toThrow(
        /^options\.signal must be an AbortSignal, got an object/,
      );
      expect(() => make(filter, { signal: null as never })).toThrow(TypeError);
    }
  });

  it.each([
    ['a string', 'abc', '"abc"'],
    ['null', null, 'null'],
    ['other numbers', new Uint16Array(2), 'an object (Uint16Array)'],
    ['memory without a type', new ArrayBuffer(2), 'an object (ArrayBuffer)'],
  ])('fails with an error that names a chunk that is %s', async (_, chunk, shown) => {
    const filter = filterOf('a');
    const message = `chunk must be a Uint8Array, got ${shown}`;
    const piped = sourceOf([text('a\n'), chunk as never]).pipeThrough(pickLines(filter));
    await expect(readAll(piped)).rejects.toThrow(new TypeError(message));
    await expect(addLines(filter, sourceOf([chunk as never]))).rejects.toThrow(new TypeError(message));
  });

  it('fails with the error of a filter that was disposed of', async () => {
    const filter = filterOf('a');
    const stream = pickLines(filter);
    const out = readAll(stream.readable);
    const writer = stream.writable.getWriter();
    await writer.write(text('a\n'));
    filter.dispose();
    await expect(writer.write(text('a\n'))).rejects.toThrow(/after dispose\(\)/);
    await expect(out).rejects.toThrow(TypeError);
    await expect(addLines(filter, sourceOf([text('a\n')]))).rejects.toThrow(/after dispose\(\)/);
  });

  it('passes on the error of its source, and passes its own error to the source', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('the disk is gone'));
      },
    });
    await expect(readAll(broken.pipeThrough(pickLines(filterOf('a'))))).rejects.toThrow('the disk is gone');
    let reason: unknown;
    const watched = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue('no bytes' as never),
      cancel(given) {
        reason = given;
      },
    });
    await expect(addLines(filterOf('a'), watched)).rejects.toThrow(TypeError);
    expect(reason).toBeInstanceOf(TypeError);
  });

  it('notices that a chunk was transferred while it was read', async () => {
    const filter = filterOf('a');
    const chunk = new Uint8Array(2 ** 25).fill(10);
    const stream = omitLines(filter);
    const out = drain(stream.readable).catch(() => {});
    const writer = stream.writable.getWriter();
    const written = writer.write(chunk);
    setTimeout(() => structuredClone(chunk.buffer, { transfer: [chunk.buffer] }), 5);
    await expect(written).rejects.toThrow(/^chunk must not be transferred/);
    await out;
  });

  it('notices this even if only the last slice was left', async () => {
    const stream = omitLines(filterOf('a'));
    // The first turn of the event loop ends after 10 ms, so that even a short chunk waits for the next turn.
    const until = performance.now() + 20;
    while (performance.now() < until);
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
    try {
      const stream = pickLines(filterOf('a'));
      // The first turn ends after 10 ms, so that this chunk waits for the next one.
      const until = performance.now() + 20;
      while (performance.now() < until);
      expect(await readAll(sourceOf([text('a\n')]).pipeThrough(stream))).toEqual([text('a\n')]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  describe('onProgress', () => {
    it('is called for each chunk and at the end', async () => {
      const seen: LineProgress[] = [];
      const whole = text('a\nb\na\r\n\nab\na');
      const options = { onProgress: (progress: LineProgress) => seen.push(progress) };
      const out = await readAll(sourceOf(inChunks(whole, 3)).pipeThrough(pickLines(filterOf('a'), options)));
      expect(seen.length).toBe(Math.ceil(whole.length / 3) + 1);
      expect(seen.at(-1)).toEqual({ bytes: whole.length, lines: 6, kept: 3 });
      expect(lines(concat(out)).count()).toBe(3);
      for (const [i, { bytes, lines: done, kept }] of seen.entries()) {
        expect(bytes).toBe(Math.min(whole.length, 3 * (i + 1)));
        if (i < seen.length - 1) expect(done).toBe(whole.subarray(0, bytes).filter((byte) => byte === 10).length);
        expect(kept).toBeLessThanOrEqual(done);
      }
    });

    it('receives the totals of input and output, for any text', async () => {
      await fc.assert(
        fc.asyncProperty(texts, cuts, fc.constantFrom(...names), async (bytes, at, verb) => {
          let last: LineProgress | undefined;
          const onProgress = (progress: LineProgress): void => {
            last = progress;
          };
          const out = await through(filterOf('a', ''), verb, cutAt(bytes, at), { onProgress });
          expect(last).toEqual({ bytes: bytes.length, lines: lines(bytes).count(), kept: lines(out).count() });
        }),
      );
    });

    it('may end the stream by throwing', async () => {
      const onProgress = (): void => {
        throw new Error('enough');
      };
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

    it('may be aborted beforehand', async () => {
      const signal = AbortSignal.abort(reason);
      await expect(through(filterOf('a'), 'pick', [text('a')], { signal })).rejects.toBe(reason);
      await expect(addLines(filterOf('a'), sourceOf([text('b\n')]), { signal })).rejects.toBe(reason);
    });

    it('has no effect after the stream has ended', async () => {
      const aborter = new AbortController();
      const { signal } = aborter;
      let listeners = 0;
      const { addEventListener, removeEventListener } = signal;
      Object.assign(signal, {
        addEventListener(...args: Parameters<typeof addEventListener>) {
          listeners++;
          addEventListener.apply(signal, args);
        },
        removeEventListener(...args: Parameters<typeof removeEventListener>) {
          listeners--;
          removeEventListener.apply(signal, args);
        },
      });
      expect(await through(filterOf('a'), 'pick', [text('a\n')], { signal })).toEqual(text('a\n'));
      await expect(through(filterOf('a'), 'pick', ['a' as never], { signal })).rejects.toThrow(TypeError);
      expect(listeners).toBe(0);
      aborter.abort();
    });

    it('ends addLines, whatever it is waiting for', async () => {
      const never = async function* (): AsyncGenerator<Uint8Array> {
        yield text('a\nb\nc');
        await new Promise(() => {});
      };
      for (const readable of [never(), new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })]) {
        const aborter = new AbortController();
        const filter = filterOf('z');
        const added = addLines(filter, readable, { signal: aborter.signal });
        // Not before the first lines have been added, however slow the machine is.
        const timer = setInterval(() => {
          if ('pipeTo' in readable || filter.has('b')) aborter.abort(reason);
        }, 5);
        await expect(added).rejects.toBe(reason);
        clearInterval(timer);
        expect(filter.has('b')).toBe(!('pipeTo' in readable));
        expect(filter.has('c')).toBe(false);
      }
    });
  });

  describe('back-pressure', () => {
    it('stops the writer if the reader does not read', async () => {
      let pulled = 0;
      const source = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled++;
            controller.enqueue(text('a\n'));
          },
        },
        { highWaterMark: 0 },
      );
      const reader = source.pipeThrough(pickLines(filterOf('a'))).getReader();
      const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
      await rest();
      expect(pulled).toBeLessThanOrEqual(2);
      for (let read = 1; read <= 20; read++) {
        await reader.read();
        await rest();
        expect(pulled - read).toBeLessThanOrEqual(2);
      }
      await reader.cancel();
    });

    it('makes addLines read one chunk at a time', async () => {
      const memory = new Uint8Array(3);
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < 500; i++) {
          memory.set(text(`${String.fromCharCode(97 + (i % 26))}${i % 10}\n`));
          yield memory;
        }
      }
      const filter = filterOf('x');
      const wanted = filterOf('x');
      for (let i = 0; i < 500; i++) wanted.add(`${String.fromCharCode(97 + (i % 26))}${i % 10}`);
      const progress = await addLines(filter, chunks());
      expect(progress).toEqual({ bytes: 1500, lines: 500, kept: 500 });
      expect(filter.equals(wanted)).toBe(true);
    });
  });

  it("works with Node's streams", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
    try {
      const file = join(folder, 'lines.txt');
      const rows = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`);
      writeFileSync(file, rows.join(''));
      const filter = new kind.Filter({ capacity: 200_000, errorRate: 1e-5 });
      const { lines: count } = await addLines(filter, createReadStream(file));
      expect(count).toBe(rows.length);
      const out: Uint8Array[] = [];
      const write = (chunk: Uint8Array, _: unknown, done: () => void): void => {
        out.push(chunk);
        done();
      };
      await pipeline(createReadStream(file), pickLines(filter), new Writable({ write }));
      expect(Buffer.concat(out).toString()).toBe(rows.join(''));
      const web = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
      expect(await readAll(web.pipeThrough(omitLines(filter)))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lets other tasks run while it reads a chunk of 64 MiB', { timeout: 120_000 }, async () => {
    const chunk = new Uint8Array(2 ** 26);
    for (let i = 0; i < chunk.length; i++) chunk[i] = i % 40 === 39 ? 10 : 97 + ((i * 31 + (i >> 8)) % 26);
    const filter = new kind.Filter({ capacity: 2_000_000 });
    const { longest, timers } = await longestStep(async () => {
      await drain(sourceOf([chunk]).pipeThrough(dedupeLines(filter)));
    });
    console.log(`longest step ${longest.toFixed(1)} ms; a timer of 1 ms ran ${timers} times meanwhile`);
    expect(timers).toBeGreaterThan(3);
    expect(longest).toBeLessThan(2000);
  });

  it('refuses what is not a stream', async () => {
    const filter = filterOf('a');
    for (const wrong of [undefined, null, 'a\nb', 5, {}, [text('a')]]) {
      await expect(addLines(filter, wrong as never)).rejects.toThrow(
        /^source must be an async iterable of Uint8Array, a ReadableStream, a Blob or a Response, got /,
      );
    }
    await expect(addLines({} as never, sourceOf([]))).rejects.toThrow(
      /^filter must be a filter with addMany\(\), got /,
    );
    await expect(addLines(filter, sourceOf([]), { crlf: 1 as never })).rejects.toThrow(/^options\.crlf/);
  });

  it('closes an iterable that it does not read to the end', async () => {
    let closed = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        yield 5 as never;
      } finally {
        closed++;
      }
    }
    await expect(addLines(filterOf('a'), chunks())).rejects.toThrow(TypeError);
    expect(closed).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ['returns no promise', () => ({ done: true })],
    [
      'throws',
      () => {
        throw new Error('cannot be closed');
      },
    ],
  ])('fails with its own error if closing an iterable %s', async (_, close) => {
    const chunks = {
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 5 }), return: close }),
    } as never;
    await expect(addLines(filterOf('a'), chunks)).rejects.toThrow(/^chunk must be a Uint8Array/);
  });
});
