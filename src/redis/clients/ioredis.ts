import { mustBe } from '../../util/checks/validate.ts';
import { slotOf } from '../cluster-slots.ts';
import { DIVIDED, messageOf } from '../error.ts';
import { type Argument, clientCommand, type RedisAdapter, type WaitOptions, waitOn, watchErrors } from './adapter.ts';

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
  readonly options: Single['options'] & { readonly keyPrefix?: string; readonly redisOptions?: { keyPrefix?: string } };
  /** The nodes of each slot, as `host:port`, the master first. */
  readonly slots: readonly (readonly string[])[];
  nodes(role: 'master'): Single[];
}

export function isIoRedis(client: object): client is IoRedisClient {
  // A pipeline has no status.
  return 'call' in client && 'callBuffer' in client && 'status' in client;
}

/** A command on its way. The client calls `reject` with the error that a server replied. */
interface Command {
  reject(error: Error): void;
}

/** What `call` and `callBuffer` use of the client. */
interface Internals extends Single {
  sendCommand(command: Command): Promise<unknown>;
}

/**
 * Makes a command reject with TRYAGAIN at once, so that its keys can be sent piece by piece. The client would retry it
 * until the slot has moved, or fail after half a second with too many redirections.
 */
function refuseDivided(command: Command): Command {
  const fail = command.reject;
  let current = fail;
  // The cluster sets a `reject` of its own that follows redirections.
  return Object.defineProperty(command, 'reject', {
    get: () => current,
    set(follow: typeof fail) {
      current = (error) => (DIVIDED.test(error.message) ? fail(error) : follow.call(command, error));
    },
  });
}

/**
 * Returns the client's methods without automatic pipelines. These crash the process after `callBuffer`, and in some
 * versions send keys to the wrong master.
 */
function commander(client: IoRedisClient & { readonly options?: object }): Pick<Single, 'call' | 'callBuffer'> {
  const { call, callBuffer } = client as Internals;
  const isCluster = 'slots' in client;
  return {
    call,
    callBuffer,
    options: { ...client.options, enableAutoPipelining: false },
    sendCommand: (command: Command) => (client as Internals).sendCommand(isCluster ? refuseDivided(command) : command),
  } as Pick<Internals, 'call' | 'callBuffer' | 'options' | 'sendCommand'>;
}

/**
 * Asks all nodes that may be the master of a key. The others refuse the write.
 *
 * @throws what one of them replied if all refuse
 */
async function waitOnAny(nodes: readonly Single[], key: string, wanted: WaitOptions): Promise<number> {
  const answers = await Promise.allSettled(
    nodes.map((node) => waitOn(([name, ...args]) => commander(node).call(name, args), key, wanted)),
  );
  const counts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (counts.length > 0) return Math.min(...counts);
  const [first] = answers;
  throw first?.status === 'rejected' ? first.reason : new Error('the client knows no master');
}

/** Throws a TypeError if the client puts a prefix before keys, which this package chooses by their slots. */
function requireNoPrefix(options: Cluster['options']): void {
  const prefix = options.keyPrefix || options.redisOptions?.keyPrefix;
  if (prefix) throw new TypeError(mustBe('keyPrefix of a cluster', 'left out: put it into the name', prefix));
}

export function ioRedis(client: IoRedisClient): RedisAdapter {
  const single = client as Single;
  const cluster = 'slots' in client ? (client as Cluster) : undefined;
  if (cluster) requireNoPrefix(cluster.options);
  const sender = commander(client);
  const masterOf = (key: string): string | undefined => cluster?.slots[slotOf(key)]?.[0];
  const nodeAt = (address: string | undefined): Single | undefined =>
    cluster?.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === address);
  const nodeOf = (key: string): Single | undefined => nodeAt(masterOf(key));
  return {
    cluster: cluster !== undefined,
    isClosed: () => client.status === 'end',
    trouble: watchErrors(client, () => client.status !== 'ready'),
    master: masterOf,
    async send(key, command, { readOnly, binary }) {
      const [name, ...args] = clientCommand(command);
      const sendBy = (by: typeof sender, name: Argument | undefined): Promise<unknown> =>
        binary ? by.callBuffer(name, args) : by.call(name, args);
      const writing = String(name).replace(/_ro$/, '');
      if (cluster === undefined || readOnly || name === writing) return sendBy(sender, name);
      // The client would send a read-only command to a replica.
      const master = nodeOf(key);
      if (master === undefined) return sendBy(sender, writing);
      try {
        return await sendBy(commander(master), name);
      } catch (error) {
        const [, redirection, address] = /^(MOVED|ASK) \d+ (\S+)$/.exec(messageOf(error)) ?? [];
        if (redirection === undefined) throw error;
        const next = nodeAt(address);
        // The last resort, because users without the right to write may not send this.
        if (next === undefined) return sendBy(sender, writing);
        const by = commander(next);
        const asking = redirection === 'ASK' ? by.call('asking', []) : undefined;
        const [reply] = await Promise.all([sendBy(by, name), asking]);
        return reply;
      }
    },
    async wait(key, wanted) {
      if (cluster === undefined) return waitOnAny([single], key, wanted);
      const master = nodeOf(key);
      // The master is not found if addresses are translated: then all are asked.
      return waitOnAny(master ? [master] : cluster.nodes('master'), key, wanted);
    },
  };
}
