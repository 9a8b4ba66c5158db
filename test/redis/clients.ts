// The client libraries. Their types may not be there: type checks need no installation.

import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RedisClient } from '../../src/entries/redis.ts';

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

interface Connecting {
  on(event: 'error', listener: () => void): void;
  connect(): Promise<unknown>;
}

type NodeRedis = RedisClient & Connecting & { destroy(): void; sendCommand(command: string[]): Promise<unknown> };
type IoRedis = RedisClient & Connecting & { disconnect(): void; call(...command: string[]): Promise<unknown> };
type Glide = RedisClient & { customCommand(command: string[]): Promise<unknown>; close(): void };

type NodeRedisModule = Record<
  'createClient' | 'createCluster' | 'createSentinel' | 'createClientPool',
  (options: object) => NodeRedis
>;

interface IoRedisModule {
  Redis: (new (options: object) => IoRedis) & { Cluster: new (nodes: object[], options: object) => IoRedis };
}

interface GlideModule
  extends Record<'GlideClient' | 'GlideClusterClient', { createClient(options: object): Promise<Glide> }> {
  readonly Logger: { setLoggerConfig(level: string): void };
}

/** The password of all users that tests make. */
export const PASSWORD = 'secret';

async function load<T>(library: Library): Promise<T> {
  try {
    return await import(library);
  } catch (cause) {
    throw new Error('the clients are missing: npx tsx tools/install.ts test/redis', { cause });
  }
}

const loginOf = ({ username }: ConnectOptions): object => (username ? { username, password: PASSWORD } : {});

/** Connects a client of `redis`, which one of the functions of that package makes. */
export async function connectWith(name: keyof NodeRedisModule, options: object): Promise<Client> {
  const client = (await load<NodeRedisModule>('redis'))[name](options);
  client.on('error', () => {});
  await client.connect();
  return { client, send: (...command) => client.sendCommand(command), close: () => client.destroy() };
}

function connectNodeRedis(ports: readonly number[], options: ConnectOptions): Promise<Client> {
  const rootNodes = ports.map((port) => ({ url: `redis://${HOST}:${port}` }));
  const login = loginOf(options);
  return options.cluster
    ? connectWith('createCluster', { rootNodes, useReplicas: !!options.replicas, defaults: login, ...options.more })
    : connectWith('createClient', { ...rootNodes[0], ...login, ...options.more });
}

async function connectIoRedis(library: Library, ports: readonly number[], options: ConnectOptions): Promise<Client> {
  const { Redis } = await load<IoRedisModule>(library);
  const { cluster, replicas, more } = options;
  const nodes = ports.map((port) => ({ host: HOST, port }));
  const common = { ...loginOf(options), ...more, lazyConnect: true };
  const scaleReads = replicas ? 'slave' : 'master';
  const client = cluster
    ? new Redis.Cluster(nodes, { ...more, lazyConnect: true, redisOptions: common, scaleReads })
    : new Redis({ ...nodes[0], ...common });
  client.on('error', () => {});
  await client.connect();
  return { client, send: (...command) => client.call(...command), close: () => client.disconnect() };
}

async function connectGlide(ports: readonly number[], options: ConnectOptions): Promise<Client> {
  const { GlideClient, GlideClusterClient, Logger } = await load<GlideModule>('@valkey/valkey-glide');
  // It would print each error, those that tests make too.
  Logger.setLoggerConfig('off');
  const { cluster, username, replicas, more } = options;
  const client = await (cluster ? GlideClusterClient : GlideClient).createClient({
    addresses: ports.map((port) => ({ host: HOST, port })),
    // By default, it gives up after a quarter of a second.
    requestTimeout: 60_000,
    ...(username && { credentials: loginOf(options) }),
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
  const installed = join(import.meta.dirname, 'node_modules', library);
  symlinkSync(installed, join(folder, 'node_modules', library), 'junction');
}
