import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import {
  buildOnDisk,
  type DiskOptions,
  type DiskProgress,
  type DiskTarget,
  type KeySink,
} from '../../../src/entries/disk.ts';
import { HashedKeys } from '../../../src/entries/hash.ts';
import * as js from '../../../src/entries/js/sharded-fuse.ts';
import { keyed } from '../../../src/entries/keyed.ts';
import * as wasm from '../../../src/entries/sharded-fuse.ts';
import { addLines, BloomFilter, FilterMemoryError } from '../../../src/index.ts';
import { HashBuckets } from '../../../src/kinds/fuse/sharded/build.ts';
import { DiskBuild } from '../../../src/node/disk/disk-build.ts';
import { SpillFile } from '../../../src/node/disk/spill-file.ts';
import { errorOf } from '../../format/saved.ts';
import { integersFrom } from '../../shared/integers.ts';
import { classOn, watched } from '../../shared/open.ts';
import { randomFrom } from '../../shared/random.ts';
import { SECRET } from '../../shared/secret.ts';
import { file, folder, root } from './folders.ts';

// A system may write and read less than it was asked for.
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  type Move = (file: number, bytes: Uint8Array, at: number, length: number, position: number) => number;
  const some =
    (move: Move): Move =>
    (file, bytes, at, length, position) =>
      move(file, bytes, at, Math.min(length, 5000), position);
  return { ...fs, rmSync: vi.fn(fs.rmSync), writeSync: some(fs.writeSync), readSync: some(fs.readSync) };
});

const Sharded = wasm.ShardedFuseFilter;

/** Hashes whose h1 begins with this byte, more than a block has. */
function hashesFrom(top: number, count: number): HashedKeys {
  const random = randomFrom(top);
  const bytes = Uint8Array.from({ length: 16 * count }, (_, i) => (i % 16 === 7 ? top : random(256)));
  return new HashedKeys(bytes, 0);
}

/** Builds a filter in memory, as a file. */
async function bytesOf(Class: typeof Sharded, fill: (keys: KeySink) => unknown, options: DiskOptions) {
  const chunks: Uint8Array[] = [];
  const take = async (all: Iterable<Uint8Array>) => {
    for (const chunk of all) chunks.push(chunk);
  };
  const built = await buildOnDisk(Class, fill, take, { folder, ...options });
  return { bytes: Buffer.concat(chunks), built };
}

describe.each([
  { name: 'wasm', Class: wasm.ShardedFuseFilter },
  { name: 'js', Class: js.ShardedFuseFilter },
  { name: 'wasm, under a secret', Class: keyed(wasm.ShardedFuseFilter, SECRET) },
])('a filter that is built on a disk: $name', ({ name, Class }) => {
  it('has the bytes of one that is built in memory, whatever the order and the parts of its keys', async () => {
    const keys = integersFrom(0, 5000);
    const all = [{ shards: 8 }, { shards: 1 }, { fingerprintBits: 1, shards: 256 }, { errorRate: 1e-3 }];
    for (const options of name === 'wasm' ? all : all.slice(0, 1)) {
      const filter = Class.from(keys, options);
      const { bytes, built } = await bytesOf(Class, (sink) => sink.addMany(keys), options);
      expect(Buffer.compare(bytes, filter.toBytes())).toBe(0);
      const { kind, capacity, errorRate, seed, cellCount, cellBits, byteLength, shards } = filter;
      expect(built).toEqual({ kind, capacity, errorRate, seed, cellCount, cellBits, byteLength, shards });
      const inParts = async (sink: KeySink) => {
        for (let at = 4000; at >= 0; at -= 1000) {
          await null;
          sink.addMany(keys.subarray(at, at + 1000)).addMany([...keys.subarray(at, at + 10)]);
        }
      };
      expect(Buffer.compare((await bytesOf(Class, inParts, options)).bytes, filter.toBytes())).toBe(0);
    }
  });
});

describe('building on a disk', () => {
  it('keeps no file open, and no memory, if there is no memory for what it begins with', () => {
    const { engine } = Sharded;
    const close = vi.spyOn(SpillFile.prototype, 'close');
    const reserve = vi.spyOn(engine, 'reserve');
    const settings = { folder, threads: 1, onProgress() {}, signal: undefined };
    const fail = vi.fn().mockThrow(new FilterMemoryError('none', 1));
    expect(() => new DiskBuild(engine, fail, settings)).toThrow('none');
    expect([close.mock.calls.length, reserve.mock.calls.length]).toEqual([1, 0]);
    reserve.mockImplementationOnce(fail);
    expect(() => new DiskBuild(engine, () => ({}) as never, settings)).toThrow('none');
    expect(close).toHaveBeenCalledTimes(2);
  });

  const keys = integersFrom(0, 5000);
  const add = (sink: KeySink) => sink.addMany(keys);
  const build = (options: DiskOptions = {}, fill: (keys: KeySink) => unknown = add, target: DiskTarget = file) =>
    buildOnDisk(Sharded, fill, target, { folder, ...options });

  it('writes blocks of hashes to the temporary file, and reads them back', async () => {
    // The last hashes are first in the file, where shards must not be written.
    const parts = [hashesFrom(255, 9000), hashesFrom(0, 20_000), hashesFrom(0, 20_000), hashesFrom(128, 8192)];
    for (const options of [{ shards: 2 }, { shards: 256 }, {}]) {
      const fill = (sink: KeySink) => {
        for (const part of parts) sink.addMany(part);
      };
      const all = new HashedKeys(Buffer.concat(parts.map(({ bytes }) => bytes)), 0);
      const { bytes } = await bytesOf(Sharded, fill, options);
      expect(Buffer.compare(bytes, Sharded.from(all, options).toBytes())).toBe(0);
    }
  });

  it('takes the lines of a stream, and writes to a path or a URL', async () => {
    const fill = (sink: KeySink) => addLines(sink, new Blob(['ada\ngrace\n']));
    for (const target of [file, pathToFileURL(file)]) {
      writeFileSync(file, 'old');
      await build({ shards: 4 }, fill, target);
      expect(Buffer.compare(readFileSync(file), Sharded.from(['ada', 'grace'], { shards: 4 }).toBytes())).toBe(0);
    }
  });

  it('tells its progress', async () => {
    const told: DiskProgress[] = [];
    const fill = (sink: KeySink) => {
      for (let i = 0; i < 3; i++) sink.addMany(integersFrom(0, 700_000));
    };
    await build({ shards: 2, onProgress: (progress) => told.push(progress) }, fill);
    expect(told.map(({ built, shards }) => `${built}/${shards}`)).toEqual(['0/0', '0/0', '0/2', '1/2', '2/2']);
    expect(told[0]?.keys).toBeGreaterThanOrEqual(1e6);
    expect(told.at(-1)?.keys).toBe(2_100_000);
  });

  it('begins again, without the shards so far, if duplicates make fewer of them right', async () => {
    const told: string[] = [];
    const onProgress = ({ built, shards }: DiskProgress) => told.push(`${built}/${shards}`);
    vi.spyOn(HashBuckets.prototype, 'estimateDistinct').mockReturnValue(2 ** 24 + 1);
    const drop = vi.spyOn(SpillFile.prototype, 'dropShards');
    const { bytes } = await bytesOf(Sharded, add, { onProgress });
    expect(Buffer.compare(bytes, Sharded.from(keys).toBytes())).toBe(0);
    expect(told).toEqual(['0/2', '1/2', '2/2', '0/1', '1/1']);
    expect(drop).toHaveBeenCalledTimes(2);
  });

  it('leaves nothing after an error, and the old file as it was', async () => {
    const { engine, regions } = watched(Sharded.engine);
    const Watched = classOn(Sharded, engine);
    writeFileSync(file, 'old');
    type Fill = (keys: KeySink) => unknown;
    const failing = async (options: DiskOptions, fill: Fill, target: DiskTarget, saying: RegExp) => {
      const built = buildOnDisk(Watched, fill, target, { folder, ...options });
      await expect(built).rejects.toThrow(saying);
      expect(readFileSync(file, 'utf8')).toBe('old');
      expect(regions.every(({ disposed }) => disposed)).toBe(true);
    };
    const stop = vi.fn().mockThrow(new Error('stop'));
    await failing({}, stop, file, /^stop$/);
    await failing({}, async (sink) => stop.call(sink.addMany(keys)), file, /^stop$/);
    await failing({}, (sink) => sink.addMany(['a', null as never]), file, /^keys\[1\] must be/);
    await failing({ onProgress: stop }, add, file, /^stop$/);
    await failing({}, add, async () => stop(), /^stop$/);
    await failing({ seed: 1 }, (sink) => sink.addMany(hashesFrom(1, 10)), file, /seed/);
    await failing({}, add, join(root, 'missing', 'out'), /ENOENT/);
    await failing({ folder: join(root, 'missing') }, add, file, /ENOENT/);
    // Also if `fill` tries again.
    const again = (keys: HashedKeys | Uint32Array<ArrayBuffer>) => (sink: KeySink) => {
      errorOf(() => sink.addMany(keys));
      expect(errorOf(() => sink.addMany(keys))).toEqual(new Error('stop'));
    };
    vi.spyOn(SpillFile.prototype, 'write').mockThrowOnce(new Error('stop'));
    await failing({}, again(hashesFrom(0, 9000)), file, /^stop$/);
    const stopOnce = vi.fn().mockThrowOnce(new Error('stop'));
    await failing({ onProgress: stopOnce }, again(integersFrom(0, 1e6)), file, /^stop$/);
    expect(readdirSync(root).sort()).toEqual(['out.bloom', 'spill']);
  });

  const addAfter = (before: () => void) => (sink: KeySink) => {
    before();
    add(sink);
  };
  /** Takes no notice of the signal. */
  const waitForEver = (abort: () => void) => {
    setTimeout(abort);
    return new Promise(() => {});
  };
  it.each<[string, (abort: () => void) => [DiskOptions, ((keys: KeySink) => unknown)?, DiskTarget?]]>([
    ['among the keys', (abort) => [{}, addAfter(abort)]],
    ['while fill goes on', (abort) => [{}, () => waitForEver(abort)]],
    ['among the shards', (abort) => [{ shards: 4, onProgress: ({ built }) => built === 2 && abort() }]],
    ['among the chunks', (abort) => [{}, add, async (chunks) => Array.from(chunks, abort)]],
    ['while the target goes on', (abort) => [{}, add, () => waitForEver(abort)]],
  ])('stops when the signal aborts %s', async (_, work) => {
    writeFileSync(file, 'old');
    const controller = new AbortController();
    const [options, fill, target] = work(() => controller.abort(new Error('enough')));
    await expect(build({ signal: controller.signal, ...options }, fill, target)).rejects.toThrow(/^enough$/);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('does not begin if the signal has aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(build({ signal }, () => expect.unreachable())).rejects.toThrow(/^enough$/);
    const controller = new AbortController();
    // While it looks at where the file goes.
    const built = build({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(built).rejects.toThrow(/^enough$/);
  });

  it('deletes its file at the end where one that is open cannot be deleted', () => {
    vi.mocked(rmSync).mockImplementationOnce(() => {
      throw new Error('it is open');
    });
    const before = process.listenerCount('exit');
    const spill = new SpillFile(folder);
    expect([readdirSync(folder).length, process.listenerCount('exit')]).toEqual([1, before + 1]);
    spill.close();
    expect([readdirSync(folder).length, process.listenerCount('exit')]).toEqual([0, before]);
  });

  it('gives no chunks once it has ended, because their file is gone', async () => {
    const kept: Iterator<Uint8Array>[] = [];
    const keep = async (chunks: Iterable<Uint8Array>) => {
      const iterator = chunks[Symbol.iterator]();
      iterator.next();
      kept.push(iterator);
    };
    await expect(build({}, add, keep)).rejects.toThrow(/^target ended before it took all chunks: .* forgotten\?$/);
    expect(() => kept[0]?.next()).toThrow(new TypeError('chunks were taken after target had ended'));
    const controller = new AbortController();
    const { signal } = controller;
    const stuck = (chunks: Iterable<Uint8Array>) => {
      void keep(chunks);
      controller.abort(new Error('enough'));
      return new Promise(() => {});
    };
    await expect(build({ signal }, add, stuck)).rejects.toThrow(/^enough$/);
    expect(() => kept[1]?.next()).toThrow(/^enough$/);
  });

  it('refuses keys after its end', async () => {
    let late: KeySink | undefined;
    await build({}, async (sink) => {
      late = sink;
    });
    expect(() => late?.addMany(keys)).toThrow(/^keys were added after fill had ended: it must return a promise/);
    const controller = new AbortController();
    const fill = (sink: KeySink) => {
      late = sink;
      controller.abort(new Error('enough'));
      return new Promise(() => {});
    };
    await expect(build({ signal: controller.signal }, fill)).rejects.toThrow(/^enough$/);
    expect(() => late?.addMany(keys)).toThrow(/^enough$/);
  });

  it('refuses a fill that has not waited for its keys', async () => {
    writeFileSync(file, 'old');
    const forgotten = (sink: KeySink) => void addLines(sink, new Blob(['a'])).catch(() => {});
    await expect(build({}, forgotten)).rejects.toThrow(/^fill returned before it added keys: .* an await forgotten\?$/);
    let thrown: unknown;
    const late = async (sink: KeySink) => {
      setImmediate(() => {
        thrown = errorOf(() => sink.addMany(keys));
      });
    };
    await expect(build({ shards: 4 }, late)).rejects.toThrow(/^keys were added after fill had ended: /);
    expect(thrown).toBeInstanceOf(TypeError);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('lets timers run between two shards, from the first one on', async () => {
    const done: unknown[] = [];
    const onProgress = ({ built }: DiskProgress) => {
      done.push(built);
      setTimeout(() => done.push('timer'));
      // Until the timer is due.
      for (const end = performance.now() + 5; performance.now() < end; );
    };
    await build({ shards: 4, onProgress });
    expect(done.slice(0, 4)).toEqual([0, 1, 'timer', 'timer']);
  });

  it.each<[RegExp, ...unknown[]]>([
    [/^Class must be ShardedFuseFilter or FuseMap, got BloomFilter$/, BloomFilter],
    [/^fill must be a function/, Sharded, 7],
    [/^target must be/, Sharded, undefined, 7],
    [/^target must be the name of a file/, Sharded, undefined, ''],
    [/power of two/, Sharded, undefined, file, { shards: 3 }],
    [/^folder must be/, Sharded, undefined, file, { folder: 7 }],
    [/^threads must be an integer from 1 to 64, got 0$/, Sharded, undefined, file, { threads: 0 }],
    [/^onProgress must be/, Sharded, undefined, file, { onProgress: 7 }],
    [/^signal must be/, Sharded, undefined, file, { signal: 7 }],
    [/^unknown option folders; the options are .*folder/, Sharded, undefined, file, { folders: '' }],
  ])('refuses wrong arguments before it asks for keys: %s', async (saying, ...args) => {
    const [Class, fill = () => expect.unreachable(), target = file, options] = args as Parameters<typeof buildOnDisk>;
    await expect(buildOnDisk(Class, fill, target, options)).rejects.toThrow(saying);
  });

  it('takes no keys', async () => {
    const empty = await bytesOf(Sharded, async () => {}, { shards: 2 });
    expect(Buffer.compare(empty.bytes, Sharded.from([], { shards: 2 }).toBytes())).toBe(0);
    expect(empty.built.capacity).toBe(0);
  });

  it('leaves nothing if the process is killed', () => {
    const script = `
      import { buildOnDisk } from './src/entries/disk.ts';
      import { ShardedFuseFilter } from './src/entries/sharded-fuse.ts';
      const fill = (keys) => {
        keys.addMany(Uint32Array.from({ length: 3e6 }, (_, i) => i));
        console.log('added');
        process.kill(process.pid, 'SIGKILL');
      };
      await buildOnDisk(ShardedFuseFilter, fill, ${JSON.stringify(file)}, { folder: ${JSON.stringify(folder)} });`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout, stderr).toBe('added\n');
  });
});
