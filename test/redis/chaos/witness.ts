// A filter that nobody changes. What `check` says of it after an event must be what the event has done.

import { RedisBloomFilter, type RedisClient, RedisFilterError } from '../../../src/entries/redis.ts';
import { until } from '../servers.ts';

const NAME = 'witness';
/** It has pieces on all masters. */
const SIZE = { capacity: 200_000, errorRate: 0.0001 };
const KEYS = Array.from({ length: 2000 }, (_, i) => `key ${i}`);

/** The codes that `check` may name after an event that loses keys, and whether it must name one. After others, none. */
const NAMED: Readonly<Record<string, { readonly may: readonly string[]; readonly must: boolean }>> = {
  'FLUSHALL on one master': { may: ['LOST'], must: true },
  'FLUSHALL on all masters': { may: ['ABSENT'], must: true },
  // If it comes back late, its replica has taken over, with all keys.
  'a master restarts without data': { may: ['LOST'], must: false },
  // Lists too, and then pieces are left without one.
  'memory is full, and masters evict': { may: ['LOST', 'ABSENT', 'ORPHANS'], must: false },
};

export class Witness {
  readonly #client: RedisClient;
  #filter: RedisBloomFilter | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Makes it again, with all keys on the replicas. */
  async fill(): Promise<void> {
    await until('the witness is filled', async () => {
      await RedisBloomFilter.delete(this.#client, NAME);
      const options = { ...SIZE, wait: { replicas: 1, ms: 5000 } };
      this.#filter = await RedisBloomFilter.open(this.#client, NAME, options);
      await this.#filter.addMany(KEYS);
      await RedisBloomFilter.repair(this.#client, NAME);
      return true;
    });
  }

  /** Returns what is wrong with what `check` and calls say after an event, once the cluster is whole again. */
  async judge(event: string): Promise<string[]> {
    const wrong: string[] = [];
    const { may, must } = NAMED[event] ?? { may: [], must: false };
    const answer = await this.#answer();
    const named = await RedisBloomFilter.check(this.#client, NAME).then(
      ({ problems }) => problems.map(({ code }) => code as string),
      (error) => [`an error: ${error}`],
    );
    console.log(`  check: ${named.join(', ') || 'ok'}; calls: ${answer || 'ok'}`);
    for (const code of new Set(named)) if (!may.includes(code)) wrong.push(`check names ${code}`);
    if (must && named.length === 0) wrong.push(`check does not name ${may.join(' or ')}`);
    // Without parameters, a call cannot tell whether there is a filter; the lists can.
    const isNamed = named.includes(answer) || (answer === 'ABSENT' && named.includes('LOST'));
    if (answer !== '' && !isNamed) wrong.push(`calls say ${answer}, and check does not`);
    if (named.length > 0) await this.fill();
    return wrong;
  }

  /** The code with which a lookup of all keys rejects; an empty text if all are there. */
  async #answer(): Promise<string> {
    try {
      const absent = await this.#filter?.omit(KEYS);
      return absent?.length === 0 ? '' : `${absent?.length} keys absent`;
    } catch (error) {
      return error instanceof RedisFilterError ? error.code : String(error);
    }
  }
}
