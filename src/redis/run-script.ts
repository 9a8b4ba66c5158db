import type { Argument, RedisAdapter, WaitOptions } from './clients/adapter.ts';
import { DIVIDED, isReply, messageOf, RedisFilterError, reasonOf, typedError } from './error.ts';
import type { Events, RedisFilterEvent } from './events.ts';
import type { Script } from './scripts.ts';
import { type BatchSettings, MAX_MILLISECONDS } from './settings.ts';

export interface RunOptions {
  /** Whether to send it as a read-only script. A replica may answer it. */
  readonly readOnly?: boolean;
  /** Whether the master must answer even so, because a replica may be late. */
  readonly latest?: boolean;
  /** Whether the reply is bytes. */
  readonly binary?: boolean;
  /** Whether a retry is not safe, because the command may have run. A lost connection is then an error at once. */
  readonly unrepeatable?: boolean;
  /** Whether to give up at once while some of the keys are being moved to another server. */
  readonly divisible?: boolean;
}

/** The server refused the command for now. It ran nothing, so the command can be retried. */
const LATER = /\b(TRYAGAIN|CLUSTERDOWN|LOADING|MASTERDOWN|BUSY)\b/;
/**
 * A client of a cluster gives up following a slot that moves, or has just moved. No script ran, and its next attempt may
 * arrive.
 */
const MOVED = /\b(MOVED|ASK)\b/;
/** What a server replies to WAIT, or to the write before it, if it is not, or not for long, the master of the key. */
const NOT_MASTER = /^-?(MOVED|ASK|READONLY|UNBLOCKED)\b|\bWAIT(AOF)? cannot be used with replica/;
/** Milliseconds before a retry. */
const PAUSE = 20;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The error when time runs out. `cause` is the last error of Redis or the client, if there was one. */
function timeout(milliseconds: number, cause: unknown): RedisFilterError {
  if (cause === undefined) return new RedisFilterError('TIMEOUT', `Redis did not answer within ${milliseconds} ms`);
  return new RedisFilterError('TIMEOUT', `not done within ${milliseconds} ms: ${reasonOf(cause)}`, { cause });
}

/** Gives a promise a time limit, and its errors a code. */
function limited<T>(answer: Promise<T>, milliseconds: number, causeOf: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    // A timer for longer would end at once.
    const timer = setTimeout(() => reject(timeout(milliseconds, causeOf())), Math.min(milliseconds, MAX_MILLISECONDS));
    answer.then(resolve, (error: unknown) => reject(typedError(error))).finally(() => clearTimeout(timer));
  });
}

/** The attempts at one command. */
interface Attempts {
  readonly begun: number;
  /** When to give up. */
  readonly end: number;
  count: number;
  /** Why the last one failed. */
  error?: unknown;
}

/** Runs scripts with a time limit. It first sends their hash instead of their text, and retries where that is safe. */
export class ScriptRunner {
  readonly adapter: RedisAdapter;
  readonly timeout: number;
  readonly #slowAfter: number;
  readonly #events: Events;
  /** False after the server has refused EVALSHA_RO, which needs Redis 7. */
  #knowsReadOnly = true;

  constructor(adapter: RedisAdapter, { timeout, slowAfter }: BatchSettings, events: Events) {
    this.adapter = adapter;
    this.timeout = timeout;
    this.#slowAfter = slowAfter;
    this.#events = events;
  }

  /**
   * Runs a script.
   *
   * @param keys all of one slot, in a cluster
   * @throws RedisFilterError TIMEOUT or CONNECTION if the script may have run; all other codes mean that it failed
   */
  run(script: Script, keys: readonly string[], args: readonly Argument[], options: RunOptions = {}): Promise<unknown> {
    return this.#ask(keys[0] ?? '', () => this.#once(script, keys, args, options), options, this.timeout);
  }

  /**
   * Waits until replicas have confirmed all that was written to the master of a key. Returns their number, or −1 if
   * nothing is known: if the server is not its master any longer, if its slot is being moved, or if the connection was
   * lost meanwhile.
   */
  async wait(key: string, wanted: WaitOptions): Promise<number> {
    const wait = this.requireWait();
    const send = (): Promise<number> =>
      wait(key, wanted).catch((error: unknown) => {
        const message = messageOf(error);
        if (NOT_MASTER.test(message)) return -1;
        if (wanted.local === undefined || !/unknown command/i.test(message)) throw error;
        throw new RedisFilterError('REDIS', `wait.local needs Redis 7.2 or later, or Valkey: ${message}`, {
          cause: error,
        });
      });
    return (await this.#ask(key, send, { unrepeatable: true }, wanted.ms + this.timeout, wanted.ms)) as number;
  }

  /** Throws a TypeError if the client cannot wait for replicas. */
  requireWait(): NonNullable<RedisAdapter['wait']> {
    const { adapter } = this;
    if (adapter.wait) return adapter.wait.bind(adapter);
    throw new TypeError('wait does not work with this client, which has no single connection to a master');
  }

  /**
   * Sends a command until it is answered, within some milliseconds.
   *
   * @param pause for how long the server is to wait by itself
   */
  async #ask(
    key: string,
    send: () => Promise<unknown>,
    options: RunOptions,
    milliseconds: number,
    pause = 0,
  ): Promise<unknown> {
    const begun = Date.now();
    const attempts: Attempts = { begun, end: begun + milliseconds, count: 0 };
    const causeOf = (): unknown => this.adapter.trouble?.(begun) ?? attempts.error;
    try {
      const reply = await limited(this.#persist(key, send, options, attempts, causeOf), milliseconds, causeOf);
      if (Date.now() - begun >= pause + this.#slowAfter) this.#emit('slow', key, attempts);
      return reply;
    } catch (error) {
      if (typedError(error).code === 'TIMEOUT') this.#emit('timeout', key, attempts, error);
      throw error;
    }
  }

  #emit(type: RedisFilterEvent['type'], key: string, { begun, count }: Attempts, error?: unknown): void {
    this.#events.emit(type, { key, begun, attempts: count, error });
  }

  async #persist(
    key: string,
    send: () => Promise<unknown>,
    { divisible = false, unrepeatable = false }: RunOptions,
    attempts: Attempts,
    causeOf: () => unknown,
  ): Promise<unknown> {
    for (;;) {
      attempts.count++;
      try {
        return await send();
      } catch (error) {
        const message = messageOf(error);
        const isMoved = this.adapter.cluster && MOVED.test(message);
        const isRefused = isMoved || (LATER.test(message) && !(divisible && DIVIDED.test(message)));
        const mayRepeat = isRefused || (!unrepeatable && !isReply(message));
        if (!mayRepeat || error instanceof TypeError || this.adapter.isClosed()) throw error;
        attempts.error = error;
        // The same error as that of `limited`, whichever comes first.
        if (Date.now() + PAUSE > attempts.end) throw timeout(attempts.end - attempts.begun, causeOf());
        // With many commands on their way to a server that is loading, a listener of all attempts would have no rest.
        if ((attempts.count & (attempts.count - 1)) === 0)
          this.#emit(isMoved ? 'redirect' : 'retry', key, attempts, error);
        await sleep(PAUSE);
      }
    }
  }

  async #once(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    { readOnly = false, latest = false, binary = false }: RunOptions,
  ): Promise<unknown> {
    const [first = ''] = keys;
    const tail = [String(keys.length), ...keys, ...args];
    const suffix = readOnly && this.#knowsReadOnly ? '_ro' : '';
    const send = (name: string, script: string): Promise<unknown> =>
      this.adapter.send(first, [`${name}${suffix}`, script, ...tail], { readOnly: readOnly && !latest, binary });
    try {
      const { sha } = script;
      return await (sha === undefined ? send('eval', script.source) : send('evalsha', sha));
    } catch (error) {
      const message = messageOf(error);
      if (suffix && /unknown command/i.test(message)) this.#knowsReadOnly = false;
      else if (!/\bNOSCRIPT\b/.test(message)) throw error;
      else return send('eval', script.source);
    }
    return this.#once(script, keys, args, { readOnly, latest, binary });
  }
}
