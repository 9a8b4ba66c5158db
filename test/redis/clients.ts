// The client libraries. Their types may not be there: type checks need no installation.

import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RedisClient } from '../../src/entries/redis.ts';

const GLIDE = '@valkey/valkey-glide';
export const libraries = ['redis', 'ioredis', 'iovalkey', GLIDE] as const;
export type Library = (typeof libraries)[number];

/** Those whose clients know which master of a cluster has a slot, and say why a connection failed. */
export const knowing = libraries.filter((library) => library !== GLIDE);

const HOST = '127.0.0.1';

export interface Client {
  readonly client: RedisClient;
  /** Sends a command to a single server. */
  send(...command: string[]): Promise<unknown>;
  close(): void;
}

export interface ConnectOptions {
  readonly cluster?: boolean;
  readonly username?: string;
  /** Whether the client may read from replicas. */
  readonly replicas?: boolean;
  readonly more?: object;
}

/** What tests call of the clients. Each has some of these methods. */
type AnyClient = RedisClient & {
  on(event: 'error', listener: () => void): void;
  connect(): Promise<unknown>;
  destroy(): void;
  disconnect(): void;
  close(): void;
  sendCommand(command: string[]): Promise<unknown>;
  call(...command: string[]): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
};

type Creator = 'createClient' | 'createCluster' | 'createSentinel' | 'createClientPool';
type NodeRedis = Record<Creator, (options: object) => AnyClient>;
interface IoRedis {
  Redis: (new (options: object) => AnyClient) & { Cluster: new (nodes: object[], options: object) => AnyClient };
}
type Glide = Record<'GlideClient' | 'GlideClusterClient', { createClient(options: object): Promise<AnyClient> }> & {
  Logger: { setLoggerConfig(level: string): void };
};

/** The password of all users that tests make. */
export const PASSWORD = 'secret';

async function load<T>(library: Library): Promise<T> {
  try {
    return await import(library);
  } catch (cause) {
    throw new Error('the clients are missing: npx tsx tools/install.ts test/redis', { cause });
  }
}

/** Connects a client of `redis`, which one of the functions of that package makes. */
export async function connectWith(name: Creator, options: object): Promise<Client> {
  const client = (await load<NodeRedis>('redis'))[name](options);
  client.on('error', () => {});
  await client.connect();
  return { client, send: (...command) => client.sendCommand(command), close: () => client.destroy() };
}

/** Connects a client to a server, or to a cluster, given the ports of some of its servers. */
export async function connect(
  library: Library,
  ports: readonly number[],
  { cluster, username, replicas = false, more }: ConnectOptions = {},
): Promise<Client> {
  const login = username ? { username, password: PASSWORD } : {};
  const nodes = ports.map((port) => ({ host: HOST, port }));
  if (library === 'redis') {
    const rootNodes = ports.map((port) => ({ url: `redis://${HOST}:${port}` }));
    return cluster
      ? connectWith('createCluster', { rootNodes, useReplicas: replicas, defaults: login, ...more })
      : connectWith('createClient', { ...rootNodes[0], ...login, ...more });
  }
  if (library === GLIDE) {
    const { GlideClient, GlideClusterClient, Logger } = await load<Glide>(library);
    // It would print each error, those that tests make too.
    Logger.setLoggerConfig('off');
    const client = await (cluster ? GlideClusterClient : GlideClient).createClient({
      addresses: nodes,
      // By default, it gives up after a quarter of a second.
      requestTimeout: 60_000,
      ...(username && { credentials: login }),
      ...(replicas && { readFrom: 'preferReplica' }),
      ...more,
    });
    return { client, send: (...command) => client.customCommand(command), close: () => client.close() };
  }
  const { Redis } = await load<IoRedis>(library);
  const common = { ...login, ...more, lazyConnect: true };
  const scaleReads = replicas ? 'slave' : 'master';
  const client = cluster
    ? new Redis.Cluster(nodes, { ...more, lazyConnect: true, redisOptions: common, scaleReads })
    : new Redis({ ...nodes[0], ...common });
  client.on('error', () => {});
  await client.connect();
  return { client, send: (...command) => client.call(...command), close: () => client.disconnect() };
}

/** Makes a project in which only this library is installed. */
export function makeProject(folder: string, library: Library): void {
  const to = join(folder, 'node_modules', library);
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(join(import.meta.dirname, 'node_modules', library), to, 'junction');
}
