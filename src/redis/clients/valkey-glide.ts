import { slotOf } from '../cluster-slots.ts';
import { messageOf } from '../error.ts';
import { type Argument, clientCommand, type RedisAdapter, waitCommand } from './adapter.ts';

/** A client or a cluster client of the package `@valkey/valkey-glide`. */
export interface ValkeyGlideClient {
  customCommand(...args: never[]): Promise<unknown>;
  updateConnectionPassword(...args: never[]): Promise<unknown>;
}

interface Glide extends ValkeyGlideClient {
  readonly isClosed?: boolean;
  customCommand(command: readonly Argument[], options: object): Promise<unknown>;
}

export function isValkeyGlide(client: object): client is ValkeyGlideClient {
  return 'customCommand' in client && 'updateConnectionPassword' in client;
}

/** The numbers of what replies are decoded to. */
const [BYTES, STRING] = [0, 1];

/** What the client calls the codes of Redis. It leaves those of other errors, but for a colon. */
const CODES: Readonly<Record<string, string>> = {
  NoScriptError: 'NOSCRIPT',
  TryAgain: 'TRYAGAIN',
  ClusterDown: 'CLUSTERDOWN',
  MasterDown: 'MASTERDOWN',
  BusyLoadingError: 'LOADING',
  ReadOnly: 'READONLY',
  PermissionDenied: 'NOPERM',
  CrossSlot: 'CROSSSLOT',
  Moved: 'MOVED',
  Ask: 'ASK',
  ResponseError: 'ERR',
};

/** The message that Redis replied with; that of the client if it is an error of its own. */
function reply(message: string): string {
  const [, name, rest] = /^(?:An error was signalled by the server: - )?(\w+): (.*)$/s.exec(message) ?? [];
  if (name === undefined) return message;
  const code = CODES[name] ?? name;
  return /^[A-Z]+$/.test(code) ? `${code} ${rest}` : message;
}

/** Whether a user may not run a command. */
const isForbidden = (error: unknown): boolean => /^NOPERM\b/.test(messageOf(error));

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new Error(reply(messageOf(cause)), { cause });
  }
}

export function valkeyGlide(client: ValkeyGlideClient): RedisAdapter {
  const glide = client as Glide;
  // Only clients of clusters choose the nodes of functions.
  const cluster = 'fcallWithRoute' in client;
  const adapter: RedisAdapter = {
    cluster,
    isClosed: () => glide.isClosed === true,
    // The client does not tell which master has a slot.
    master: (key) => (cluster ? slotOf(key) : client),
    async send(key, command, { readOnly, binary }) {
      const [name = '', ...args] = clientCommand(command);
      const options = { decoder: binary ? BYTES : STRING };
      const sendAs = (name: Argument, route?: object): Promise<unknown> =>
        translated(glide.customCommand([name, ...args], { ...options, ...route }));
      if (readOnly) return sendAs(name);
      if (cluster) return sendAs(name, { route: { type: 'primarySlotKey', key } });
      // A client that has addresses of replicas might send a read-only command to one of them.
      const writing = String(name).replace(/_ro$/, '');
      try {
        return await sendAs(writing);
      } catch (error) {
        // The user may only read.
        if (name === writing || !isForbidden(error)) throw error;
        return sendAs(name);
      }
    },
  };
  // Of a cluster, it would have to be known which master got the keys, and still has them.
  if (cluster) return adapter;
  return {
    ...adapter,
    wait: async (_, ...rest) =>
      Number(await translated(glide.customCommand(waitCommand(...rest), { decoder: STRING }))),
  };
}
