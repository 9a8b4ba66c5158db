import type { Argument, RedisAdapter } from './adapter.ts';
import { clientCommand, waitCommand } from './command.ts';
import { slotOf } from './slots.ts';

/** A client or a cluster of the package `ioredis` or `iovalkey`. */
export interface IoRedisClient {
  call(...args: never[]): unknown;
  callBuffer(...args: never[]): unknown;
  readonly status: string;
}

interface Single extends IoRedisClient {
  readonly options: { readonly host?: string; readonly port?: number };
  call(name: Argument | undefined, args: readonly Argument[]): Promise<unknown>;
  callBuffer(name: Argument | undefined, args: readonly Argument[]): Promise<unknown>;
}

interface Cluster extends Single {
  /** The nodes of each slot, as `host:port`, the master first. */
  readonly slots: readonly (readonly string[])[];
  nodes(role: 'master'): Single[];
}

export function isIoRedis(client: object): client is IoRedisClient {
  return 'call' in client && 'callBuffer' in client;
}

async function waitOn(nodes: readonly Single[], replicas: number, milliseconds: number): Promise<number> {
  const [name, ...args] = waitCommand(replicas, milliseconds);
  return Math.min(...(await Promise.all(nodes.map(async (node) => Number(await node.call(name, args))))));
}

export function ioRedis(client: IoRedisClient): RedisAdapter {
  const single = client as Single;
  const cluster = 'slots' in client ? (client as Cluster) : undefined;
  const masterOf = (key: string): string | undefined => cluster?.slots[slotOf(key)]?.[0];
  return {
    cluster: cluster !== undefined,
    isClosed: () => client.status === 'end',
    master: masterOf,
    send(_, command, { binary }) {
      const [name, ...args] = clientCommand(command);
      return binary ? single.callBuffer(name, args) : single.call(name, args);
    },
    async wait(key, ...rest) {
      if (cluster === undefined) return waitOn([single], ...rest);
      const masters = cluster.nodes('master');
      const master = masters.find(({ options: { host, port } }) => `${host}:${port}` === masterOf(key));
      // With translated addresses the master is not found, so all are asked.
      return waitOn(master ? [master] : masters, ...rest);
    },
  };
}
