import type { BlockedBloomFilterOptions } from '../kinds/blocked/filter.ts';
import { MIN_ERROR_RATE } from '../kinds/blocked/sizing.ts';
import { requireOptions } from '../util/checks/options.ts';
import { mustBe, requireFunction, requireInteger, requireOneOf } from '../util/checks/validate.ts';
import type { WaitOptions } from './clients/adapter.ts';
import type { RedisFilterListener } from './events.ts';
import { DEFAULT_SPREAD, MAX_SPREAD } from './layout.ts';

/** How one client uses a filter. Other clients of the same filter may use other settings. */
export interface RedisSettings {
  /**
   * How long to wait for an answer, in milliseconds, 1 … 2^31 − 1; default 10,000. A call with more than `inFlight`
   * keys waits for several answers, one after the other, and fails as soon as one does not come.
   */
  timeout?: number | undefined;
  /**
   * The most keys of this filter object on their way to each master, 1 … 2^20; default 256. More keys delay other
   * clients.
   */
  inFlight?: number | undefined;
  /**
   * Where to look keys up; default `master`. With `replica`, lookups are read-only scripts, which the client sends to
   * replicas if it is configured to; a key that was just added may then look absent. The master is asked for parts that
   * a replica does not have yet.
   */
  readFrom?: 'master' | 'replica' | undefined;
  /**
   * Makes `add`, `dedupe` and `addMany` with flags safe to retry; default true. Redis keeps each answer for some
   * seconds, and repeats it if the call arrives again. Otherwise a call that is retried after a reconnection, as
   * ioredis does automatically, reports its own keys as not new.
   */
  once?: boolean | undefined;
  /**
   * How long each call that adds keys waits, and until how many replicas have them. Without it, a failover can lose
   * keys. `merge` and `fromLocal` do not wait: call `replicated` after them.
   */
  wait?: WaitOptions | undefined;
  /**
   * Whether to keep a partial copy of the filter in this process; default false. The copy learns from the answers of
   * Redis. `has`, `add` and all methods with an answer for each key do not send keys that the copy has. If Redis loses
   * keys by a failover, `clear` or `delete`, `add` does not add them again, but `addMany` without flags does: it sends
   * all keys. `refresh` makes the copy forget lost keys. With `wait`, keys to add are always sent.
   */
  mirror?: boolean | undefined;
  /**
   * Called for retries, redirections, timeouts, lost parts, and slow commands. It is not called for what the client
   * itself retries or follows. The first time that it throws or rejects, the process gets a warning with the code
   * BLOOMERY_LISTENER.
   */
  onEvent?: RedisFilterListener | undefined;
  /** How many milliseconds make a command slow, so that `onEvent` is called, 1 … 2^31 − 1; default 1,000. */
  slowAfter?: number | undefined;
}

/** The settings with which keys are sent. */
export interface BatchSettings {
  readonly timeout: number;
  readonly inFlight: number;
  readonly readFrom: 'master' | 'replica';
  readonly once: boolean;
  readonly mirror: boolean;
  readonly wait: WaitOptions | undefined;
  readonly onEvent: RedisFilterListener | undefined;
  readonly slowAfter: number;
}

/** The options of a filter in Redis. Without a capacity or a number of bits, it must have been made before. */
export type RedisBloomFilterOptions = RedisSettings &
  (
    | (BlockedBloomFilterOptions & {
        /**
         * Over how many slots of a cluster to spread the filter, 1 … 1024; default 16. No more masters than this can
         * share it. More slots divide batches into more calls. Ignored if the filter exists already.
         */
        spread?: number | undefined;
      })
    | { capacity?: undefined; errorRate?: undefined; bits?: undefined; seed?: undefined; spread?: undefined }
  );

/**
 * Throws a RangeError if an error rate is too low for the blocked kind, which is the only one in Redis.
 *
 * @param filters the number of filters that share the rate
 */
export function requireRedisRate(rate: unknown, filters = 1): void {
  const least = filters * MIN_ERROR_RATE;
  if (typeof rate !== 'number' || rate <= 0 || rate >= least) return;
  const hint = `take ${least}, and check the keys that it finds in another store`;
  throw new RangeError(`${mustBe('errorRate', `at least ${least} in Redis`, rate)}; ${hint}`);
}

const EXAMPLE = '{ capacity: 1e6, errorRate: 0.01 }';
const NAMES = ['spread', 'timeout', 'inFlight', 'readFrom', 'once', 'wait', 'onEvent', 'slowAfter'];
/** The longest time of a timer. */
export const MAX_MILLISECONDS: number = 2 ** 31 - 1;

export function readWait(wait: unknown): WaitOptions {
  const given = requireOptions(wait, '{ replicas: 1, ms: 1000 }', ['replicas', 'ms', 'local'], 'wait');
  const local = given['local'] === undefined ? undefined : requireInteger('wait.local', given['local'], 0, 1);
  return {
    replicas: requireInteger('wait.replicas', given['replicas'], local === 1 ? 0 : 1, 1000),
    ms: requireInteger('wait.ms', given['ms'], 1, MAX_MILLISECONDS),
    local,
  };
}

/** The options of one method, and the settings among them. */
interface ReadOptions {
  readonly given: Readonly<Record<string, unknown>>;
  readonly settings: BatchSettings;
  readonly spread: number;
}

/**
 * Reads the options of a method.
 *
 * @param names the options that only this method has; their values are not checked
 */
export function readOptions(options: unknown, names: readonly string[]): ReadOptions {
  const given = requireOptions(options, EXAMPLE, [...names, ...NAMES]);
  const { spread = DEFAULT_SPREAD, timeout = 10_000, inFlight = 256, readFrom = 'master', once = true, wait } = given;
  const { mirror = false, onEvent, slowAfter = 1000 } = given;
  if (onEvent !== undefined) requireFunction('onEvent', onEvent);
  const settings = {
    timeout: requireInteger('timeout', timeout, 1, MAX_MILLISECONDS),
    inFlight: requireInteger('inFlight', inFlight, 1, 2 ** 20),
    readFrom: requireOneOf('readFrom', readFrom, ['master', 'replica']),
    once: requireBoolean('once', once),
    mirror: requireBoolean('mirror', mirror),
    wait: wait === undefined ? undefined : readWait(wait),
    onEvent: onEvent as RedisFilterListener | undefined,
    slowAfter: requireInteger('slowAfter', slowAfter, 1, MAX_MILLISECONDS),
  } as const;
  return { given, settings, spread: requireInteger('spread', spread, 1, MAX_SPREAD) };
}

export function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(mustBe(name, 'a boolean', value));
  return value;
}

/** The options with one of these names; undefined if none of them is given. */
export function givenOf(given: ReadOptions['given'], names: readonly string[]): object | undefined {
  const entries = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
