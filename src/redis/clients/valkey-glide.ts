import { slotOf } from '../cluster-slots.ts';
import { messageOf } from '../error.ts';
import { type Argument, clientCommand, type RedisAdapter, waitOn } from './adapter.ts';

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

/** The client's `Decoder.Bytes` and `Decoder.String`: what it decodes replies to. */
const [BYTES, STRING] = [0, 1];

/** The client's names for some codes of Redis. It keeps all other codes. */
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

/**
 * The error that Redis replied with, as Redis writes it: its code and its text. The client has these only in a message
 * of its own, with a colon between them: all replies are a `RequestError`, which has no field for the code. An error that
 * the client itself raised keeps its message.
 */
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
  // Only cluster clients have this method.
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
        // The user may run only the command that reads.
        if (name === writing || !isForbidden(error)) throw error;
        return sendAs(name);
      }
    },
  };
  // WAIT has to go to the master that got the keys, which the client of a cluster does not tell.
  if (cluster) return adapter;
  return {
    ...adapter,
    wait: (...args) => waitOn((command) => translated(glide.customCommand(command, { decoder: STRING })), ...args),
  };
}
