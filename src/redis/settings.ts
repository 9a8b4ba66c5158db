import type { BlockedBloomFilterOptions } from '../filters/blocked.ts';
import { requireOptions } from '../options.ts';
import { mustBe, requireInteger } from '../validate.ts';
import { MAX_SPREAD } from './layout.ts';

/** When keys count as added. */
export interface WaitOptions {
  /** The number of replicas of each master that must have confirmed them, 1 or more. */
  readonly replicas: number;
  /** How long to wait for them, in milliseconds. */
  readonly ms: number;
}

/** How a client uses a filter. Clients of one filter may differ in these. */
export interface RedisSettings {
  /**
   * How long to wait for an answer, in milliseconds; default 10,000. A call with more than `inFlight` keys waits for
   * several answers, one after the other, and fails as soon as one does not come.
   */
  timeout?: number | undefined;
  /** The most keys of this filter object on their way to each master, 1 or more; default 256. More delay others. */
  inFlight?: number | undefined;
  /**
   * Where to look keys up; default `master`. With `replica`, look-ups are sent as read-only scripts, which the client
   * may send to replicas if it is configured so; a key that was just added may then look absent.
   */
  readFrom?: 'master' | 'replica' | undefined;
  /**
   * Whether Redis remembers for some seconds what it answered to calls that tell which keys were new; default true.
   * Without it, a call that was sent again after a reconnection, as ioredis does by itself, tells that its own keys are
   * not new.
   */
  once?: boolean | undefined;
  /** Wait after each call that adds until replicas have the keys. Without it, a failover can forget keys. */
  wait?: WaitOptions | undefined;
  /**
   * Whether to keep a copy of the filter in this process; default false. It learns what Redis answers, and `has`, `add`
   * and all methods that tell of each key do not send keys that it knows to be present. So keys that Redis loses, by a
   * failover, `clear` or `delete`, are not added again by `add`, but by `addMany` without flags, which sends all keys.
   * `refresh` makes the copy forget them. With `wait`, keys to add are always sent.
   */
  mirror?: boolean | undefined;
}

/** The settings with which keys are sent. */
export interface BatchSettings {
  readonly timeout: number;
  readonly inFlight: number;
  readonly readFrom: 'master' | 'replica';
  readonly once: boolean;
  readonly mirror: boolean;
  readonly wait: WaitOptions | undefined;
}

/** The options of a filter in Redis. Without a capacity or a number of bits, it must have been made before. */
export type RedisBloomFilterOptions = RedisSettings &
  (
    | (BlockedBloomFilterOptions & {
        /**
         * Over how many slots of a cluster to spread the filter, 1 … 1024; default 16. No more masters than this can
         * share it. More slots divide batches into more calls. Only whoever makes the filter decides.
         */
        spread?: number | undefined;
      })
    | { capacity?: undefined; errorRate?: undefined; bits?: undefined; seed?: undefined; spread?: undefined }
  );

const EXAMPLE = '{ capacity: 1e6, errorRate: 0.01 }';
const NAMES = ['spread', 'timeout', 'inFlight', 'readFrom', 'once', 'wait'];
const MAX_MILLISECONDS = 2 ** 31 - 1;

export function readWait(wait: unknown): WaitOptions {
  const { replicas, ms } = requireOptions(wait, '{ replicas: 1, ms: 1000 }', ['replicas', 'ms'], 'wait');
  return {
    replicas: requireInteger('wait.replicas', replicas, 1, 1000),
    ms: requireInteger('wait.ms', ms, 1, MAX_MILLISECONDS),
  };
}

/** The options of one method, and what they say of how the filter is used and spread. */
export interface ReadOptions {
  readonly given: Readonly<Record<string, unknown>>;
  readonly settings: BatchSettings;
  readonly spread: number;
}

/**
 * Reads the options of a method.
 *
 * @param names the options that only this method has, which are not checked yet
 */
export function readOptions(options: unknown, names: readonly string[]): ReadOptions {
  const given = requireOptions(options, EXAMPLE, [...names, ...NAMES]);
  const { spread = 16, timeout = 10_000, inFlight = 256, readFrom = 'master', once = true, wait } = given;
  const { mirror = false } = given;
  if (readFrom !== 'master' && readFrom !== 'replica') {
    throw new TypeError(mustBe('readFrom', '"master" or "replica"', readFrom));
  }
  const settings = {
    timeout: requireInteger('timeout', timeout, 1, MAX_MILLISECONDS),
    inFlight: requireInteger('inFlight', inFlight, 1, 2 ** 20),
    readFrom,
    once: requireBoolean('once', once),
    mirror: requireBoolean('mirror', mirror),
    wait: wait === undefined ? undefined : readWait(wait),
  } as const;
  return { given, settings, spread: requireInteger('spread', spread, 1, MAX_SPREAD) };
}

export function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(mustBe(name, 'a boolean', value));
  return value;
}

/** The given options that have one of these names; undefined if none is given. */
export function givenOf(given: ReadOptions['given'], names: readonly string[]): object | undefined {
  const entries = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
