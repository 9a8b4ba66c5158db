import { mustBe } from '../validate.ts';
import { type IoRedisClient, ioRedis, isIoRedis } from './ioredis.ts';
import { isNodeRedis, type NodeRedisClient, nodeRedis } from './node-redis.ts';

/** A part of a command: text, or bytes. */
export type Argument = string | Uint8Array;

/** How to send a command. */
export interface SendOptions {
  /** Whether a replica may answer. */
  readonly readOnly: boolean;
  /** Whether the reply is bytes, to be returned as a Uint8Array rather than as a string. */
  readonly binary: boolean;
}

/**
 * Sends commands to Redis or Valkey. The clients of `redis`, `ioredis` and `iovalkey` need none; for any other client,
 * pass an object with these members.
 */
export interface RedisAdapter {
  /** Whether keys are spread over several masters, so that all keys of a command must be in one slot. */
  readonly cluster: boolean;
  /** Whether the client was closed for good, so that trying again is of no use. */
  isClosed(): boolean;
  /** Identifies the master that holds a key now: any value that is the same for all keys of that master. */
  master(key: string): unknown;
  /** Sends a command, whose name is in lower case, to the node that holds `key`, and follows redirections. */
  send(key: string, command: readonly Argument[], options: SendOptions): Promise<unknown>;
  /**
   * Sends WAIT to the master that holds `key`, on the connection that `send` uses, and returns the number of replicas.
   * Without this method, the option `wait` is refused.
   */
  wait?(key: string, replicas: number, milliseconds: number): Promise<number>;
}

/**
 * A connected client of `redis` (5 or 6), `ioredis` (5.3 or later) or `iovalkey`, single or cluster, or an adapter for
 * another client.
 */
export type RedisClient = NodeRedisClient | IoRedisClient | RedisAdapter;

function isAdapter(client: object): client is RedisAdapter {
  return 'send' in client && typeof client.send === 'function';
}

/**
 * Returns the adapter for a client, which is recognized by its methods.
 *
 * @throws TypeError for anything else
 */
export function adapterOf(client: RedisClient): RedisAdapter {
  if (typeof client === 'object' && client !== null) {
    if (isAdapter(client)) return client;
    if (isIoRedis(client)) return ioRedis(client);
    if (isNodeRedis(client)) return nodeRedis(client);
  }
  throw new TypeError(mustBe('client', 'a client or cluster of redis, ioredis or iovalkey, or an adapter', client));
}
