import { slotOf } from '../cluster-slots.ts';
import { messageOf } from '../error.ts';
import { type Argument, Buffer, clientCommand, type RedisAdapter, waitOn, watchErrors } from './adapter.ts';

/** A client, a pool, a cluster or a client of sentinels of the package `redis`. */
export interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
  withTypeMapping(...args: never[]): unknown;
  readonly isOpen: boolean;
  /** A pool has none. */
  readonly isReady?: boolean;
}

interface Single extends NodeRedisClient {
  sendCommand(command: readonly Argument[], options?: object): Promise<unknown>;
}

interface Sentinel extends NodeRedisClient {
  sendCommand(isReadonly: boolean, command: readonly Argument[], options: object): Promise<unknown>;
}

interface Node {
  readonly address: string;
}

interface Cluster extends NodeRedisClient {
  readonly slots: readonly { readonly master: Node }[];
  sendCommand(key: string, isReadonly: boolean, command: readonly Argument[], options: object): Promise<unknown>;
  nodeClient(node: Node): Single | Promise<Single>;
}

export function isNodeRedis(client: object): client is NodeRedisClient {
  return 'withTypeMapping' in client && 'sendCommand' in client;
}

/** The number of the type "blob string" in the client. */
const BLOB_STRING = 36;

/** What the client of sentinels throws instead of a command to a replica. */
const NO_REPLICA = /^no replicas available/;

/** The options that turn replies into bytes or strings, whatever the client was configured to do. */
function replies(binary: boolean): object {
  return { typeMapping: binary ? { [BLOB_STRING]: Buffer } : {} };
}

function single(client: Single): RedisAdapter {
  const adapter: RedisAdapter = {
    cluster: false,
    isClosed: () => !client.isOpen,
    trouble: watchErrors(client, () => client.isReady === false),
    master: () => client,
    send: (_, command, { binary }) => client.sendCommand(clientCommand(command), replies(binary)),
  };
  // A pool has several connections, but WAIT is about one.
  if ('execute' in client) return adapter;
  return { ...adapter, wait: (...args) => waitOn((command) => client.sendCommand(command), ...args) };
}

/** Each command may use another connection, and WAIT is about one: so there is no `wait`. */
function sentinel(client: Sentinel): RedisAdapter {
  return {
    cluster: false,
    isClosed: () => !client.isOpen,
    trouble: watchErrors(client, () => client.isReady === false),
    master: () => client,
    async send(_, command, { readOnly, binary }) {
      const parts = clientCommand(command);
      const options = replies(binary);
      try {
        return await client.sendCommand(readOnly, parts, options);
      } catch (error) {
        // After a replica has become the master there may be no other, or the client has not heard of it.
        if (!readOnly || !NO_REPLICA.test(messageOf(error))) throw error;
        return client.sendCommand(false, parts, options);
      }
    },
  };
}

function cluster(client: Cluster): RedisAdapter {
  const masterOf = (key: string): Node | undefined => client.slots[slotOf(key)]?.master;
  return {
    cluster: true,
    isClosed: () => !client.isOpen,
    trouble: watchErrors(client, () => client.isReady === false),
    master: (key) => masterOf(key)?.address,
    send: (key, command, { readOnly, binary }) =>
      client.sendCommand(key, readOnly, clientCommand(command), replies(binary)),
    async wait(key, wanted) {
      const node = masterOf(key);
      if (node === undefined) return -1;
      const master = await client.nodeClient(node);
      return waitOn((command) => master.sendCommand(command), key, wanted);
    },
  };
}

export function nodeRedis(client: NodeRedisClient): RedisAdapter {
  if ('nodeClient' in client) return cluster(client as Cluster);
  // A sentinel client has `use`; the client that `use` lends has `release`.
  return 'use' in client || 'release' in client ? sentinel(client as Sentinel) : single(client as Single);
}
