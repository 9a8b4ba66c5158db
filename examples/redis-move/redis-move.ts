// Moves a filter to another server or cluster while processes go on to use it. At no time is a key absent that was
// added, and no key is new to two of them. All processes use a `MovingFilter`, and one program, which may die and be
// started again at any time, calls `move`. When it is done, let the processes use the new filter directly.
//
//   const seen = new MovingFilter(oldClient, newClient, 'seen');
//   await seen.add('ada');
//   await move(oldClient, newClient, 'seen');

import { adapterOf, RedisBloomFilter, type RedisClient, RedisFilterError } from 'bloomery/redis';

/**
 * `old`: all are on the old server. `both`: keys are added to both, and looked up on the old one. `next`: keys are added
 * to both, and looked up on the new one. `done`: all are on the new server.
 */
export type Phase = 'old' | 'both' | 'next' | 'done';
const PHASES: readonly string[] = ['old', 'both', 'next', 'done'] satisfies Phase[];

/** For how many milliseconds a process relies on the phase that it has read. */
const PERIOD = 1000;

const keyOf = (name: string): string => `moving:${name}`;

/** Reads the phase from the new server. */
async function phaseOn(client: RedisClient, name: string): Promise<Phase> {
  const command = ['get', keyOf(name)];
  const reply = await adapterOf(client).send(keyOf(name), command, { readOnly: false, binary: false });
  if (reply === null) return 'old';
  if (typeof reply === 'string' && PHASES.includes(reply)) return reply as Phase;
  throw new Error(`"${keyOf(name)}" holds something else`);
}

async function setPhase(client: RedisClient, name: string, phase: Phase): Promise<void> {
  const command = ['set', keyOf(name), phase];
  await adapterOf(client).send(keyOf(name), command, { readOnly: false, binary: false });
}

/** A filter that may be on its way from one server to another. */
export class MovingFilter {
  readonly #clients: Readonly<Record<'old' | 'next', RedisClient>>;
  readonly #name: string;
  readonly #period: number;
  readonly #filters = new Map<'old' | 'next', Promise<RedisBloomFilter>>();
  #phase: Promise<Phase> | undefined;
  /** When the phase was asked for. */
  #asked = 0;

  /** @param period for how many milliseconds a phase is relied on; the same in all processes, and in `move` */
  constructor(oldClient: RedisClient, newClient: RedisClient, name: string, period: number = PERIOD) {
    this.#clients = { old: oldClient, next: newClient };
    this.#name = name;
    this.#period = period;
  }

  /** Adds a key. Returns true if it was new: to at most one process, however many add it at once. */
  add(key: string): Promise<boolean> {
    return this.#run(async (phase) => {
      const isNewThere = phase === 'done' || (await (await this.#on('old')).add(key));
      const isNewHere = phase === 'old' || (await (await this.#on('next')).add(key));
      // In `both`, only the old server knows of all keys. In `next`, some processes still rely on it, and others on the
      // new one.
      return phase === 'both' ? isNewThere : isNewThere && isNewHere;
    });
  }

  has(key: string): Promise<boolean> {
    return this.#run(async (phase) => {
      const filter = await this.#on(phase === 'old' || phase === 'both' ? 'old' : 'next');
      return filter.has(key);
    });
  }

  /**
   * Runs a call in the current phase. If that took longer than the phase can be relied on, and the phase has changed,
   * runs it again: its key may be where nobody looks for it any longer.
   */
  async #run(call: (phase: Phase) => Promise<boolean>): Promise<boolean> {
    for (;;) {
      const { phase, asked } = await this.#current();
      const [outcome] = await Promise.allSettled([call(phase)]);
      const isFresh = performance.now() - asked <= this.#period;
      if (!isFresh && (await this.#current()).phase !== phase) continue;
      if (outcome.status === 'fulfilled') return outcome.value;
      throw outcome.reason;
    }
  }

  async #current(): Promise<{ phase: Phase; asked: number }> {
    const now = performance.now();
    if (this.#phase === undefined || now - this.#asked > this.#period / 2) {
      this.#asked = now;
      this.#phase = phaseOn(this.#clients.next, this.#name);
      this.#phase.catch(() => {
        this.#phase = undefined;
      });
    }
    const asked = this.#asked;
    return { phase: await this.#phase, asked };
  }

  #on(side: 'old' | 'next'): Promise<RedisBloomFilter> {
    const opened = this.#filters.get(side) ?? RedisBloomFilter.open(this.#clients[side], this.#name);
    this.#filters.set(side, opened);
    opened.catch(() => this.#filters.delete(side));
    return opened;
  }
}

/**
 * Moves a filter, or goes on where a program that died has stopped. Run it once at a time. Changes nothing on the old
 * server before the last step.
 *
 * @param onStep called before each step
 */
export async function move(
  oldClient: RedisClient,
  newClient: RedisClient,
  name: string,
  { period = PERIOD, onStep = async (_: string): Promise<void> => {} } = {},
): Promise<void> {
  const turnTo = async (phase: Phase): Promise<void> => {
    await onStep(`turn to ${phase}`);
    await setPhase(newClient, name, phase);
  };
  /** Waits until no process relies on an earlier phase. */
  const wait = async (phase: Phase): Promise<void> => {
    await onStep(`wait in ${phase}`);
    await new Promise((resolve) => setTimeout(resolve, 2 * period));
  };
  const phase = await phaseOn(newClient, name);
  if (phase === 'old' || phase === 'both') {
    const old = await RedisBloomFilter.open(oldClient, name);
    await onStep('make the new filter');
    const next = await makeLike(old, newClient);
    if (phase === 'old') await turnTo('both');
    await wait('both');
    await onStep('copy');
    const copy = await old.toLocal();
    await next.merge(copy);
    await onStep('compare');
    // All that is added by now goes to both, so the new filter must have all bits of the copy.
    const there = await next.toLocal();
    if (!there.union(copy).equals(there)) throw new Error('the new server has lost bits: start again');
    await turnTo('next');
  }
  if (phase !== 'done') {
    await wait('next');
    await turnTo('done');
  }
  await wait('done');
  await onStep('delete the old filter');
  await keepAll(oldClient, newClient, name);
  // What an earlier move to the old server has left would tell a later one that it is done.
  await adapterOf(oldClient).send(keyOf(name), ['del', keyOf(name)], { readOnly: false, binary: false });
  await RedisBloomFilter.delete(oldClient, name);
}

/**
 * Adds to the new filter what the old one has, if it is still there. So nothing is lost even if the phase is that of an
 * earlier move.
 */
async function keepAll(oldClient: RedisClient, newClient: RedisClient, name: string): Promise<void> {
  const old = await RedisBloomFilter.open(oldClient, name).catch((error: unknown) => {
    // A program that died has begun to delete it.
    if (error instanceof RedisFilterError && (error.code === 'ABSENT' || error.code === 'LOST')) return undefined;
    throw error;
  });
  if (old) await (await RedisBloomFilter.open(newClient, name)).merge(await old.toLocal());
}

/** Opens the filter on the new server, or makes it: of the same size, for the same keys. */
async function makeLike(old: RedisBloomFilter, client: RedisClient): Promise<RedisBloomFilter> {
  try {
    return await RedisBloomFilter.open(client, old.name);
  } catch (error) {
    if (!(error instanceof RedisFilterError && error.code === 'ABSENT')) throw error;
    return RedisBloomFilter.fromLocal(client, old.name, await old.toLocal());
  }
}
