import type { Argument, RedisAdapter } from './adapter.ts';
import { Buffer, clientCommand, waitCommand } from './command.ts';
import { slotOf } from './slots.ts';

/** A client, a pool or a cluster of the package `redis`. */
export interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
  withTypeMapping(...args: never[]): unknown;
  readonly isOpen: boolean;
}

interface Single extends NodeRedisClient {
  sendCommand(command: readonly Argument[], options?: object): Promise<unknown>;
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
  // A client of sentinels has the method `use`, and a `sendCommand` with other parameters.
  return 'withTypeMapping' in client && 'sendCommand' in client && !('use' in client);
}

/** The number of the type "blob string" in the client. */
const BLOB_STRING = 36;

/** Says what to make of replies, whatever the client was told. */
function replies(binary: boolean): object {
  return { typeMapping: binary ? { [BLOB_STRING]: Buffer } : {} };
}

function single(client: Single): RedisAdapter {
  const adapter: RedisAdapter = {
    cluster: false,
    isClosed: () => !client.isOpen,
    master: () => client,
    send: (_, command, { binary }) => client.sendCommand(clientCommand(command), replies(binary)),
  };
  // A pool has several connections, and WAIT is about one.
  if ('execute' in client) return adapter;
  return { ...adapter, wait: async (_, ...rest) => Number(await client.sendCommand(waitCommand(...rest))) };
}

function cluster(client: Cluster): RedisAdapter {
  const masterOf = (key: string): Node | undefined => client.slots[slotOf(key)]?.master;
  return {
    cluster: true,
    isClosed: () => !client.isOpen,
    master: (key) => masterOf(key)?.address,
    send: (key, command, { readOnly, binary }) =>
      client.sendCommand(key, readOnly, clientCommand(command), replies(binary)),
    async wait(key, ...rest) {
      const node = masterOf(key);
      if (node === undefined) return 0;
      return Number(await (await client.nodeClient(node)).sendCommand(waitCommand(...rest)));
    },
  };
}

export function nodeRedis(client: NodeRedisClient): RedisAdapter {
  return 'nodeClient' in client ? cluster(client as Cluster) : single(client as Single);
}
