// Builds shards in several threads, each of them one shard at a time. This thread gives them the keys, hashed.

import { Worker } from 'node:worker_threads';
import type { FuseParameters } from '../../kinds/fuse/file.ts';
import { type Buckets, bucketsOf, memoryFor, type ShardPlace } from '../../kinds/fuse/sharded/build.ts';
import { optimalFuseShards } from '../../kinds/fuse/sharded/sizing.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';
import { untilAborted } from '../../util/until-aborted.ts';
import type { ShardTask } from '../disk/content.ts';
import { startThreads, WorkerThread } from './thread.ts';

/** The words of keys, in memory that both threads share: those of a bucket to sort, or those of a shard to build it of. */
export type ShardQuestion = { readonly sort: Uint32Array } | { readonly build: Uint32Array };

/** How many words are left without duplicates. */
export interface Sorted {
  readonly words: number;
}

export interface BuiltShard {
  readonly parameters: FuseParameters;
  readonly cells: Uint8Array<ArrayBuffer>;
}

/** What a FilterMemoryError says, which would lose its class on the way. */
export interface Refused {
  readonly message: string;
  readonly byteLength: number;
}

/** What the error of a key with two values says, which would lose its properties. */
export interface TwoValues {
  readonly message: string;
  readonly positions: readonly [first: number, second: number];
  readonly values: readonly [first: number, second: number];
}

export type ShardAnswer = Sorted | BuiltShard | Refused | TwoValues;

/** The keys that shards are built of. */
type Keys = Pick<Buckets, 'estimateDistinct' | 'wordsIn' | 'read'>;

/** Builds one shard after another in a thread of its own. */
class ShardThread {
  readonly #thread: WorkerThread<ShardQuestion, ShardAnswer>;
  readonly #keys: Keys;
  /** Memory for the keys of a shard. */
  #all: Uint32Array = new Uint32Array(0);

  constructor(task: ShardTask, keys: Keys) {
    // What the program's options load is not needed there.
    const options = { workerData: task, execArgv: [] };
    this.#thread = new WorkerThread(new Worker(new URL('./shard-worker.js', import.meta.url), options));
    this.#keys = keys;
  }

  async #ask<A extends ShardAnswer>(question: ShardQuestion): Promise<A> {
    const answer = await this.#thread.ask(question);
    if ('positions' in answer) throw Object.assign(new RangeError(answer.message), answer);
    if ('message' in answer) throw new FilterMemoryError(answer.message, answer.byteLength);
    return answer as A;
  }

  async build(place: ShardPlace): Promise<BuiltShard> {
    const keys = this.#keys;
    const [from, to] = bucketsOf(place);
    const most = keys.wordsIn(from, to);
    if (most > this.#all.length) this.#all = memoryFor(most, SharedArrayBuffer);
    let end = 0;
    // One bucket at a time, so that duplicates take memory only in one.
    for (let bucket = from; bucket < to; bucket++) {
      const sort = this.#all.subarray(end, end + keys.wordsIn(bucket));
      keys.read(bucket, sort);
      end += (await this.#ask<Sorted>({ sort })).words;
    }
    return this.#ask<BuiltShard>({ build: this.#all.subarray(0, end) });
  }

  end(): Promise<void> {
    return this.#thread.end();
  }
}

/** Builds a number of shards. Yields each as soon as it is built. */
async function* buildAll(
  threads: readonly ShardThread[],
  shards: number,
  signal: AbortSignal,
): AsyncGenerator<ShardPlace & BuiltShard, void, undefined> {
  const running = new Map<ShardThread, Promise<{ thread: ShardThread; shard: ShardPlace & BuiltShard }>>();
  let next = 0;
  const start = (thread: ShardThread): void => {
    if (next === shards) return;
    const place = { index: next++, shards };
    const building = thread.build(place).then((built) => ({ thread, shard: { ...place, ...built } }));
    // Nobody awaits it if the work stops first: without this, its error would be an unhandled rejection.
    building.catch(() => {});
    running.set(thread, building);
  };
  for (const thread of threads) start(thread);
  while (running.size > 0) {
    const { thread, shard } = await untilAborted(Promise.race(running.values()), signal);
    running.delete(thread);
    start(thread);
    yield shard;
  }
}

/**
 * Does what `buildShards` does in several threads, and yields the shards in any order.
 *
 * @throws FilterMemoryError if a thread has no memory; RangeError if a key has two values; the reason of the signal
 */
export async function* buildInThreads(
  count: number,
  task: ShardTask,
  keys: Keys,
  wanted: number | undefined,
  begin: (shards: number) => void,
  signal: AbortSignal,
): AsyncGenerator<ShardPlace & BuiltShard, void, undefined> {
  let shards = wanted ?? optimalFuseShards(keys.estimateDistinct());
  const threads = startThreads(Math.min(count, shards), () => new ShardThread(task, keys));
  try {
    for (;;) {
      let all = 0;
      begin(shards);
      for await (const shard of buildAll(threads, shards, signal)) {
        all += shard.parameters.count;
        yield shard;
      }
      const right = wanted ?? optimalFuseShards(all);
      if (right === shards) return;
      shards = right;
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
