// Servers of Redis, and the ways to keep a Bloom filter there. All ways tell which keys were new.

import { optimalBits, optimalHashes } from 'bloomery';
import { adapterOf, RedisBloomFilter, type RedisClient, slotOf } from 'bloomery/redis';
import { type Client, connect } from '../../test/redis/clients.ts';
import { Cluster, Server } from '../../test/redis/servers.ts';

/** The client's own limit, 5 seconds, is too short for pipelines on a busy machine. */
const more = { commandOptions: { timeout: 60_000 } };

/** One Redis server, or a cluster, and a client of it. */
export class Deployment {
  readonly name: string;
  readonly isCluster: boolean;
  readonly #servers: readonly Server[];
  readonly #client: Client;

  private constructor(name: string, servers: readonly Server[], client: Client, isCluster: boolean) {
    this.name = name;
    this.isCluster = isCluster;
    this.#servers = servers;
    this.#client = client;
  }

  static async single(): Promise<Deployment> {
    const server = await Server.start();
    return new Deployment('One server', [server], await connect('redis', [server.port], { more }), false);
  }

  static async cluster(masters: number): Promise<Deployment> {
    const { servers, ports } = await Cluster.start(masters);
    const client = await connect('redis', ports, { cluster: true, more });
    return new Deployment(`A cluster of ${masters} masters`, servers, client, true);
  }

  get client(): RedisClient {
    return this.#client.client;
  }

  /** The port of a server. */
  get port(): number {
    return (this.#servers[0] as Server).port;
  }

  /** Sends a command to a server. */
  send(...command: string[]): Promise<unknown> {
    return (this.#servers[0] as Server).send(...command);
  }

  /** The processor time that all servers together have taken, in microseconds. */
  async processorTime(): Promise<number> {
    const texts = await Promise.all(this.#servers.map((server) => server.send('info', 'cpu')));
    const seconds = texts.flatMap((text) => [...String(text).matchAll(/^used_cpu_(?:user|sys):(.*)\r$/gm)]);
    return 1e6 * seconds.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.send('flushall', 'sync')));
  }

  close(): void {
    this.#client.close();
    for (const server of this.#servers) server.stop();
  }
}

export const CAPACITY = 1_000_000;
export const ERROR_RATE = 0.01;

/** Keys that are sent together. */
export interface Batch {
  readonly texts: readonly string[];
  /** A number for each key. The other ways compute its bits from the number. */
  readonly numbers: readonly number[];
}

/** An empty filter. */
export interface Opened {
  /** Returns 1 for each key that was new. */
  add(batch: Batch): Promise<ArrayLike<number>>;
  /** Returns 1 for each key that may be present. */
  has(batch: Batch): Promise<ArrayLike<number>>;
}

export interface Way {
  readonly name: string;
  open(deployment: Deployment): Promise<Opened>;
}

export const bloomery: Way = {
  name: 'bloomery',
  async open({ client }) {
    const filter = await RedisBloomFilter.open(client, 'bloomery', { capacity: CAPACITY, errorRate: ERROR_RATE });
    return {
      async add({ texts }) {
        if (texts.length === 1) return [Number(await filter.add(texts[0] as string))];
        const flags = new Uint8Array(texts.length);
        await filter.addMany(texts, flags);
        return flags;
      },
      has: async ({ texts }) =>
        texts.length === 1 ? [Number(await filter.has(texts[0] as string))] : filter.hasMany(texts),
    };
  },
};

const SLOTS = 16384;
/** The number of strings of a classic filter in a cluster, each in a slot of its own, as bloomery's are. */
const PARTS = 16;
/** The most keys in a pipeline of plain commands. With 10,000, the client's own time limit of 5 s is often exceeded. */
const PIPELINE_KEYS = 1000;
const BITS: number = Math.ceil(optimalBits(CAPACITY, ERROR_RATE) / PARTS) * PARTS;
const HASHES: number = optimalHashes(CAPACITY, BITS);

/** `count` keys of Redis, one in each of `count` equal ranges of slots. */
function partsOf(count: number): string[] {
  return Array.from({ length: count }, (_, part) => {
    for (let i = 0; ; i++) {
      const key = `classic:{${i}}`;
      if (Math.floor((slotOf(key) * count) / SLOTS) === part) return key;
    }
  });
}

/** A hash of 32 bits: the finalizer of MurmurHash3. */
function mix(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

type Send = (...command: string[]) => Promise<unknown>;

/** How a classic filter sets and reads the bits of one key. `send` sends a command for the string of a filter. */
interface Form {
  readonly name: string;
  /** Sets bits, and returns their old values. */
  set(key: string, bits: readonly string[], send: Send): Promise<readonly unknown[]>;
  get(key: string, bits: readonly string[], send: Send): Promise<readonly unknown[]>;
}

const single: Form = {
  name: 'SETBIT, GETBIT',
  set: (key, bits, send) => Promise.all(bits.map((bit) => send('setbit', key, bit, '1'))),
  get: (key, bits, send) => Promise.all(bits.map((bit) => send('getbit', key, bit))),
};

const fields: Form = {
  name: 'BITFIELD',
  set: async (key, bits, send) =>
    (await send('bitfield', key, ...bits.flatMap((bit) => ['set', 'u1', bit, '1']))) as unknown[],
  get: async (key, bits, send) =>
    (await send('bitfield', key, ...bits.flatMap((bit) => ['get', 'u1', bit]))) as unknown[],
};

/** A classic filter in plain commands, which the client sends in a pipeline. It hashes almost for free. */
function classic({ name, set, get }: Form): Way {
  return {
    name,
    async open({ client, isCluster }) {
      const adapter = adapterOf(client);
      const parts = partsOf(isCluster ? PARTS : 1);
      const bits = BITS / parts.length;
      const ask = (form: Form['set'], number: number): Promise<readonly unknown[]> => {
        const key = parts[mix(number) % parts.length] as string;
        const [start, step] = [mix(number + 0x9e3779b9), mix(number + 0x3c6ef372)];
        const positions = Array.from({ length: HASHES }, (_, i) => String((start + i * step) % bits));
        return form(key, positions, (...command) => adapter.send(key, command, { readOnly: false, binary: false }));
      };
      const askAll = async (form: Form['set'], numbers: readonly number[], flagOf: (isSet: boolean) => boolean) => {
        const flags: number[] = [];
        for (let at = 0; at < numbers.length; at += PIPELINE_KEYS) {
          const replies = await Promise.all(numbers.slice(at, at + PIPELINE_KEYS).map((number) => ask(form, number)));
          for (const bits of replies) flags.push(Number(flagOf(bits.every((bit) => bit === 1))));
        }
        return flags;
      };
      return {
        add: ({ numbers }) => askAll(set, numbers, (isSet) => !isSet),
        has: ({ numbers }) => askAll(get, numbers, (isSet) => isSet),
      };
    },
  };
}

export const ways: readonly Way[] = [bloomery, classic(single), classic(fields)];
