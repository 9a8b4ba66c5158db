/** A part of a command: text, or bytes. */
export type Argument = string | Uint8Array;

/** How to send a command. */
export interface SendOptions {
  /** Whether a replica may answer. If not, the master must, even if the command changes nothing. */
  readonly readOnly: boolean;
  /** Whether the reply is bytes, to be returned as a Uint8Array rather than as a string. */
  readonly binary: boolean;
}

/** How many servers must have added keys before they are confirmed, and in what time. */
export interface WaitOptions {
  /** The number of replicas of each master that must have them, 1 … 1000; with `local: 1` it may be 0. */
  readonly replicas: number;
  /** How long to wait for them, in milliseconds, 1 … 2^31 − 1. */
  readonly ms: number;
  /**
   * If given, 0 or 1, by WAITAOF instead of WAIT: that number of replicas must have the keys on disk, in their
   * append-only files, and with 1 so must the master itself. Needs Redis 7.2 or later, or Valkey, and `appendonly yes`.
   */
  readonly local?: number | undefined;
}

/**
 * Sends commands to Redis or Valkey. The clients of `redis`, `ioredis`, `iovalkey` and `@valkey/valkey-glide` need
 * none; for any other client, pass an object with these members.
 */
export interface RedisAdapter {
  /** Whether keys are spread over several masters, so that all keys of a command must be in one slot. */
  readonly cluster: boolean;
  /** Whether the client was closed for good, so that nothing is retried. */
  isClosed(): boolean;
  /**
   * Returns the last error of the connections since a time, in milliseconds since 1970, or of a connection that is
   * down; undefined if there is none. It becomes the cause of a TIMEOUT.
   */
  trouble?(since: number): unknown;
  /** Identifies the master that holds a key now: any value that is the same for all keys of that master. */
  master(key: string): unknown;
  /**
   * Sends a command, whose name is in lower case, to the node that holds `key`, and follows redirections. If Redis
   * replies with an error, must reject with an error of the same message, which begins with a code such as `NOSCRIPT`
   * or `TRYAGAIN`: the code decides what is retried. `TRYAGAIN` must reject at once, without retries.
   */
  send(key: string, command: readonly Argument[], options: SendOptions): Promise<unknown>;
  /**
   * Waits until replicas have confirmed all that was written to the master that holds `key`, by WAIT or WAITAOF, and
   * returns their number, or −1 if nothing is known. WAIT counts the writes of its own connection only, and confirms at
   * once if there are none, as after a reconnection. So it must follow a write on the same connection: `waitOn` does all
   * of this. Without this method, the option `wait` is refused.
   */
  wait?(key: string, wanted: WaitOptions): Promise<number>;
}

interface BufferConstructor {
  from(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array;
}

/** Node's class. Clients take and return no other bytes, and all runtimes that can run them have it. */
export const { Buffer } = globalThis as object as { Buffer: BufferConstructor };

/** Wraps the bytes of a command in Buffers, without copying them. */
export function clientCommand(command: readonly Argument[]): Argument[] {
  return command.map((each) =>
    typeof each === 'string' ? each : Buffer.from(each.buffer, each.byteOffset, each.byteLength),
  );
}

/**
 * Waits, by WAIT or WAITAOF, until replicas have confirmed all earlier writes to a master. These commands count from the
 * last write of their connection, so one goes before them. A client that reconnects sends the rest on a new connection,
 * without writes, where they would confirm anything: then the ids of the connections differ, and nothing is confirmed.
 * For authors of adapters.
 *
 * @param send sends a command to the master, in the order of the calls
 * @param key a key of this master; the write goes to `KEY:wait`, and expires at once
 * @returns the number of replicas, or −1 if nothing is known, or if the master itself lacks what it was to have on disk
 */
export async function waitOn(
  send: (command: string[]) => Promise<unknown>,
  key: string,
  { replicas, ms, local }: WaitOptions,
): Promise<number> {
  const verb = local === undefined ? ['wait'] : ['waitaof', String(local)];
  const [first, , reply, last] = await Promise.all([
    send(['client', 'id']),
    send(['set', `${key}:wait`, '', 'px', '1']),
    send([...verb, String(replicas), String(ms)]),
    send(['client', 'id']),
  ]);
  if (String(first) !== String(last)) return -1;
  if (local === undefined) return Number(reply);
  const [own, others] = Array.isArray(reply) ? reply : [];
  return Number(own) >= local ? Number(others) : -1;
}

/** A client that emits events. */
interface Emitter {
  on(event: string, listener: (error: unknown) => void): unknown;
  listenerCount(event: string): number;
}

/** The last error of a client's connections. */
interface LastError {
  error?: unknown;
  /** When it was emitted, in milliseconds since 1970. */
  at: number;
  /** The events that have a listener. */
  readonly events: Set<string>;
}

const lastErrors: WeakMap<object, LastError> = /* @__PURE__ */ new WeakMap();

/**
 * Remembers the last error of a client's connections. Pending calls do not get it: they wait until the client has
 * reconnected. Returns a function that returns the error if it came after a given time, or if there is no connection
 * now.
 */
export function watchErrors(client: object, isDown: () => boolean): (since: number) => unknown {
  const last = lastErrors.get(client) ?? { at: 0, events: new Set() };
  lastErrors.set(client, last);
  const listen = ({ on, listenerCount }: Emitter): void => {
    for (const event of ['error', 'node-error', 'node error']) {
      // Without a listener, Node throws "error" events and ioredis prints them. That must stay so.
      if (last.events.has(event) || (event === 'error' && listenerCount.call(client, event) === 0)) continue;
      last.events.add(event);
      on.call(client, event, (error) => {
        last.error = error;
        last.at = Date.now();
      });
    }
  };
  if ('on' in client && 'listenerCount' in client) listen(client as Emitter);
  return (since) => {
    if (isDown()) return last.error ?? new Error('the client has no connection');
    return last.at >= since ? last.error : undefined;
  };
}
