// The client libraries. Their types may not be there: type checks need no installation.

import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RedisClient } from '../../src/redis.ts';

export const libraries = ['redis', 'ioredis', 'iovalkey', '@valkey/valkey-glide'] as const;
export type Library = (typeof libraries)[number];

/** Those whose clients know which master of a cluster has a slot, and say why a connection failed. */
export const knowing = libraries.filter((library) => library !== '@valkey/valkey-glide');

const HOST = '127.0.0.1';

/** What tests need of any client. */
export interface Client {
  /** The client itself. */
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
  /** More options for the client. */
  readonly more?: object;
}

interface Emitter {
  on(event: 'error', listener: () => void): void;
}

type NodeRedis = RedisClient &
  Emitter & {
    connect(): Promise<unknown>;
    destroy(): void;
    sendCommand(command: string[]): Promise<unknown>;
  };

type IoRedis = RedisClient &
  Emitter & {
    connect(): Promise<unknown>;
    disconnect(): void;
    call(...command: string[]): Promise<unknown>;
  };

interface NodeRedisModule {
  createClient(options: object): NodeRedis;
  createCluster(options: object): NodeRedis;
  createSentinel(options: object): NodeRedis;
}

interface IoRedisModule {
  Redis: (new (options: object) => IoRedis) & { Cluster: new (nodes: object[], options: object) => IoRedis };
}

type Glide = RedisClient & {
  customCommand(command: string[], options?: object): Promise<unknown>;
  close(): void;
};

interface GlideClass {
  createClient(options: object): Promise<Glide>;
}

interface GlideModule {
  readonly GlideClient: GlideClass;
  readonly GlideClusterClient: GlideClass;
  readonly Logger: { setLoggerConfig(level: string): void };
}

/** The password of all users that tests make. */
export const PASSWORD = 'secret';

const ignore = (): void => {};

async function load(library: Library): Promise<unknown> {
  try {
    return await import(library);
  } catch (cause) {
    throw new Error('the clients are missing: npx tsx tools/install.ts test/redis', { cause });
  }
}

async function connectNodeRedis(ports: readonly number[], options: ConnectOptions): Promise<Client> {
  const { createClient, createCluster } = (await load('redis')) as NodeRedisModule;
  const { username, more } = options;
  const login = username ? { username, password: PASSWORD } : {};
  const rootNodes = ports.map((port) => ({ url: `redis://${HOST}:${port}` }));
  const client = options.cluster
    ? createCluster({ rootNodes, useReplicas: options.replicas ?? false, defaults: login, ...more })
    : createClient({ ...rootNodes[0], ...login, ...more });
  client.on('error', ignore);
  await client.connect();
  return { client, send: (...command) => client.sendCommand(command), close: () => client.destroy() };
}

/** Connects the client of `redis` to the master that a sentinel names. */
export async function connectSentinel(name: string, port: number, more: object = {}): Promise<Client> {
  const { createSentinel } = (await load('redis')) as NodeRedisModule;
  const client = createSentinel({ name, sentinelRootNodes: [{ host: HOST, port }], ...more });
  client.on('error', ignore);
  await client.connect();
  return { client, send: (...command) => client.sendCommand(command), close: () => client.destroy() };
}

async function connectIoRedis(
  library: Library,
  ports: readonly number[],
  { cluster, username, replicas, more }: ConnectOptions,
): Promise<Client> {
  const { Redis } = (await load(library)) as IoRedisModule;
  const login = username ? { username, password: PASSWORD } : {};
  const nodes = ports.map((port) => ({ host: HOST, port }));
  const common = { ...login, ...more, lazyConnect: true };
  const client = cluster
    ? new Redis.Cluster(nodes, {
        ...more,
        lazyConnect: true,
        redisOptions: common,
        scaleReads: replicas ? 'slave' : 'master',
      })
    : new Redis({ ...nodes[0], ...common });
  client.on('error', ignore);
  await client.connect();
  return { client, send: (...command) => client.call(...command), close: () => client.disconnect() };
}

async function connectGlide(ports: readonly number[], options: ConnectOptions): Promise<Client> {
  const { GlideClient, GlideClusterClient, Logger } = (await load('@valkey/valkey-glide')) as GlideModule;
  // It would print each error, those that tests make too.
  Logger.setLoggerConfig('off');
  const { cluster, username, replicas, more } = options;
  const client = await (cluster ? GlideClusterClient : GlideClient).createClient({
    addresses: ports.map((port) => ({ host: HOST, port })),
    // By default, it gives up after a quarter of a second.
    requestTimeout: 60_000,
    ...(username && { credentials: { username, password: PASSWORD } }),
    ...(replicas && { readFrom: 'preferReplica' }),
    ...more,
  });
  return { client, send: (...command) => client.customCommand(command), close: () => client.close() };
}

/** Connects a client to a server, or to a cluster, given the ports of some of its servers. */
export function connect(library: Library, ports: readonly number[], options: ConnectOptions = {}): Promise<Client> {
  if (library === 'redis') return connectNodeRedis(ports, options);
  return library === '@valkey/valkey-glide' ? connectGlide(ports, options) : connectIoRedis(library, ports, options);
}

/** Makes a project in which only this library is installed. */
export function makeProject(folder: string, library: Library): void {
  mkdirSync(dirname(join(folder, 'node_modules', library)), { recursive: true });
  symlinkSync(resolve('test/redis/node_modules', library), join(folder, 'node_modules', library), 'junction');
}
