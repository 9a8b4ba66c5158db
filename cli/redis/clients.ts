// The client libraries, which the package does not depend on: whichever is installed.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RedisClient } from 'bloomery/redis';
import { CommandError } from '../errors.ts';
import type { Address } from './address.ts';

/** A client, not connected yet. */
export interface Connection {
  connect(): Promise<RedisClient>;
  close(): void;
  onError(listener: (error: unknown) => void): void;
}

interface Emitter {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
}

type NodeRedis = RedisClient & Emitter & { readonly isOpen: boolean; destroy(): void };
type IoRedis = RedisClient & Emitter & { readonly status: string; disconnect(): void };

interface NodeRedisModule {
  createClient(options: object): NodeRedis;
  createCluster(options: object): NodeRedis;
}

type Glide = RedisClient & { close(): void };

interface GlideClass {
  createClient(options: object): Promise<Glide>;
}

interface GlideModule {
  readonly GlideClient: GlideClass;
  readonly GlideClusterClient: GlideClass;
  readonly Logger: { setLoggerConfig(level: 'off'): void };
}

interface IoRedisModule {
  readonly Redis: (new (
    options: object,
  ) => IoRedis) & {
    readonly Cluster: new (nodes: readonly object[], options: object) => IoRedis;
  };
}

/** Milliseconds: a little longer than `CONNECT_TIMEOUT`, because a connection that is being made cannot be closed. */
const GLIDE_CONNECT_TIMEOUT = 10_500;
/** Milliseconds, longer than a filter waits. */
const GLIDE_REQUEST_TIMEOUT = 60_000;

type Create = (module: unknown, address: Address, isCluster: boolean) => Connection;

function connectionOf(client: RedisClient & Emitter, close: () => void): Connection {
  return {
    async connect() {
      await client.connect();
      return client;
    },
    close,
    onError: (listener) => client.on('error', listener),
  };
}

// A command that was not answered fails at once, rather than after many attempts to connect again.

const nodeRedis: Create = (module, { host, port, username, password, database, isEncrypted }, isCluster) => {
  const { createClient, createCluster } = module as NodeRedisModule;
  const common = { tls: isEncrypted, reconnectStrategy: false };
  const socket = { host, port, ...common };
  const client = isCluster
    ? createCluster({ rootNodes: [{ socket }], defaults: { username, password, socket: common } })
    : createClient({ username, password, database, socket });
  return connectionOf(client, () => {
    // Version 5 refuses to close what is closed.
    if (client.isOpen) client.destroy();
  });
};

const ioRedis: Create = (module, { host, port, username, password, database, isEncrypted }, isCluster) => {
  const { Redis } = module as IoRedisModule;
  const tls = isEncrypted ? { tls: {} } : {};
  const options = { username, password, db: database, ...tls, lazyConnect: true, retryStrategy: () => null };
  const client = isCluster
    ? new Redis.Cluster([{ host, port }], {
        lazyConnect: true,
        clusterRetryStrategy: () => null,
        redisOptions: options,
      })
    : new Redis({ host, port, ...options });
  return connectionOf(client, () => {
    // Else it would wait two seconds for the end of a connection that has ended.
    if (client.status !== 'end') client.disconnect();
  });
};

const valkeyGlide: Create = (module, { host, port, username, password, database, isEncrypted }, isCluster) => {
  const { GlideClient, GlideClusterClient, Logger } = module as GlideModule;
  // The client would print each error of a server to stderr, expected ones too.
  Logger.setLoggerConfig('off');
  let client: Glide | undefined;
  return {
    async connect() {
      client = await (isCluster ? GlideClusterClient : GlideClient).createClient({
        addresses: [{ host, port }],
        useTLS: isEncrypted,
        ...(password !== undefined && { credentials: { username, password } }),
        ...(!isCluster && { databaseId: database }),
        requestTimeout: GLIDE_REQUEST_TIMEOUT,
        connectionBackoff: { numberOfRetries: 0, factor: 1, exponentBase: 1 },
        advancedConfiguration: { connectionTimeout: GLIDE_CONNECT_TIMEOUT },
      });
      return client;
    },
    close: () => client?.close(),
    // This client emits no errors.
    onError() {},
  };
};

/** The libraries, and what each exports from the first version on that works. */
const LIBRARIES: readonly (readonly [library: string, mark: string, create: Create])[] = [
  ['redis', 'createSentinel', nodeRedis],
  ['ioredis', 'Redis', ioRedis],
  ['iovalkey', 'Redis', ioRedis],
  ['@valkey/valkey-glide', 'GlideClient', valkeyGlide],
];

/** The path of a library as seen from a file; undefined if it is not installed there. */
function find(library: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(library);
  } catch {
    return undefined;
  }
}

/**
 * Makes a client with a library that is installed beside this package, or else in the current folder or one above.
 *
 * @throws CommandError if there is none
 */
export async function createConnection(address: Address, isCluster: boolean): Promise<Connection> {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    for (const [library, mark, create] of LIBRARIES) {
      const path = find(library, from);
      const module: object = path === undefined ? {} : await import(pathToFileURL(path).href);
      if (mark in module) return create(module, address, isCluster);
    }
  }
  throw new CommandError(
    'a client for Redis must be installed: npm install redis, ioredis, iovalkey or @valkey/valkey-glide; redis from 5 on, ioredis from 5.3 on',
  );
}
