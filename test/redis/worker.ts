// One of several processes that add overlapping keys to one filter at the same time.

import { RedisBloomFilter, RedisFilterError, type WaitOptions } from '../../src/redis.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, type Library } from './clients.ts';

export interface Work {
  readonly library: Library;
  readonly ports: readonly number[];
  readonly cluster: boolean;
  readonly name: string;
  /** The number of different keys from which each process chooses. */
  readonly universe: number;
  /** For how many keys the filter is made. */
  readonly capacity: number;
  readonly seed: number;
  /** The least time over which to spread the work, in milliseconds. */
  readonly duration: number;
  readonly wait: WaitOptions | undefined;
}

/** What is known of a key: not tried, or added and seen before, or added and new. */
const SEEN = 1;
export const NEW = 2;
/** Added to one of these if it had been sent before, and was not known to be done. */
export const AGAIN = 4;

export interface Outcome {
  /** What is known of each key, one byte each, in base64. */
  readonly states: string;
  /** How often each kind of error came. */
  readonly errors: Record<string, number>;
}

export const keyOf = (i: number): string => `key ${i}`;

/** A random part of all keys, in random order. */
function ownKeys(universe: number, random: (limit: number) => number): number[] {
  const own = Array.from({ length: universe }, (_, i) => i).filter(() => random(10) < 6);
  for (let i = own.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [own[i], own[j]] = [own[j] as number, own[i] as number];
  }
  return own;
}

async function run({
  library,
  ports,
  cluster,
  name,
  universe,
  capacity,
  seed,
  duration,
  wait,
}: Work): Promise<Outcome> {
  const { client } = await connect(library, ports, { cluster });
  const filter = await RedisBloomFilter.open(client, name, { capacity, wait });
  process.send?.('opened');
  const random = randomFrom(seed);
  const states = new Uint8Array(universe);
  const again = new Uint8Array(universe);
  const errors: Record<string, number> = {};
  const own = ownKeys(universe, random);
  const start = Date.now();
  for (let at = 0; at < own.length; ) {
    const batch = own.slice(at, at + 1 + random(600));
    at += batch.length;
    for (let left = batch; left.length > 0; ) {
      const flags = new Uint8Array(left.length);
      let isDone: (i: number) => boolean = () => true;
      try {
        await filter.addMany(left.map(keyOf), flags);
      } catch (error) {
        if (!(error instanceof RedisFilterError && error.answers)) throw error;
        errors[error.code] = (errors[error.code] ?? 0) + 1;
        const { done, flags: known, confirmed } = error.answers;
        flags.set(known);
        isDone = (i) => (confirmed ?? done)[i] === 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      for (const [i, key] of left.entries())
        if (isDone(i)) states[key] = (flags[i] === 1 ? NEW : SEEN) + (again[key] ?? 0);
      left = left.filter((_, i) => !isDone(i));
      for (const key of left) again[key] = AGAIN;
    }
    const early = (duration * at) / own.length - (Date.now() - start);
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
  return { states: Buffer.from(states).toString('base64'), errors };
}

const [, , work] = process.argv;
if (process.send && work) {
  const outcome = await run(JSON.parse(work) as Work);
  process.send(outcome, () => process.exit());
}
