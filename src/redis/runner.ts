import type { Argument, RedisAdapter } from './adapter.ts';
import { isReply, messageOf, RedisFilterError, typedError } from './error.ts';
import type { Script } from './script.ts';
import type { WaitOptions } from './settings.ts';

export interface RunOptions {
  /** Whether a replica may answer. */
  readonly readOnly?: boolean;
  /** Whether the reply is bytes. */
  readonly binary?: boolean;
  /** Whether to run it again if it may have run already. Else a lost connection is an error at once. */
  readonly repeatable?: boolean;
  /** Whether to give up at once if some of the keys are just being moved to another server. */
  readonly divisible?: boolean;
}

/** The server refused the command for now, and ran nothing. */
const LATER = /\b(TRYAGAIN|CLUSTERDOWN|LOADING|MASTERDOWN)\b/;
/** The server refused the command because its keys are on two servers, until the slot is moved. */
export const DIVIDED = /\bTRYAGAIN\b/;
/** Milliseconds until a command that was refused, or whose connection broke, is sent again. */
const PAUSE = 20;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Rejects with a typed error, and after some milliseconds in any case. */
function limited<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new RedisFilterError('TIMEOUT', `Redis did not answer within ${milliseconds} ms`));
    }, milliseconds);
    answer.then(resolve, (error: unknown) => reject(typedError(error))).finally(() => clearTimeout(timer));
  });
}

/** Runs scripts: at first by their name, with a time limit, and again where that can do no harm. */
export class Runner {
  readonly adapter: RedisAdapter;
  readonly timeout: number;
  /** Whether the server may know EVALSHA_RO, which Redis has from version 7 on. */
  #knowsReadOnly = true;

  constructor(adapter: RedisAdapter, timeout: number) {
    this.adapter = adapter;
    this.timeout = timeout;
  }

  /**
   * Runs a script.
   *
   * @param keys all of one slot, in a cluster
   * @throws RedisFilterError with the code TIMEOUT or CONNECTION if the script may have run; else with another one
   */
  run(script: Script, keys: readonly string[], args: readonly Argument[], options: RunOptions = {}): Promise<unknown> {
    return limited(this.#persist(script, keys, args, options, Date.now() + this.timeout), this.timeout);
  }

  /** Waits until replicas have confirmed what this client wrote to the master of a key, and returns their number. */
  async wait(key: string, { replicas, ms }: WaitOptions): Promise<number> {
    return limited(this.requireWait()(key, replicas, ms), ms + this.timeout);
  }

  /** Throws a TypeError if the client cannot wait for replicas. */
  requireWait(): NonNullable<RedisAdapter['wait']> {
    const { adapter } = this;
    if (adapter.wait) return adapter.wait.bind(adapter);
    throw new TypeError('wait must be left out, for this client has no single connection to a master');
  }

  async #persist(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    options: RunOptions,
    until: number,
  ): Promise<unknown> {
    for (;;) {
      try {
        return await this.#once(script, keys, args, options);
      } catch (error) {
        const message = messageOf(error);
        const isRefused = LATER.test(message) && !(options.divisible && DIVIDED.test(message));
        const mayRepeat = isRefused || (options.repeatable === true && !isReply(message));
        if (!mayRepeat || error instanceof TypeError || this.adapter.isClosed() || Date.now() + PAUSE > until)
          throw error;
        await sleep(PAUSE);
      }
    }
  }

  async #once(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    { readOnly = false, binary = false }: RunOptions,
  ): Promise<unknown> {
    const [first = ''] = keys;
    const tail = [String(keys.length), ...keys, ...args];
    const suffix = readOnly && this.#knowsReadOnly ? '_ro' : '';
    const send = (name: string, script: string): Promise<unknown> =>
      this.adapter.send(first, [`${name}${suffix}`, script, ...tail], { readOnly, binary });
    try {
      return await send('evalsha', await script.sha);
    } catch (error) {
      const message = messageOf(error);
      if (suffix && /unknown command/i.test(message)) this.#knowsReadOnly = false;
      else if (!/\bNOSCRIPT\b/.test(message)) throw error;
      else return send('eval', script.source);
    }
    return this.#once(script, keys, args, { readOnly, binary });
  }
}
