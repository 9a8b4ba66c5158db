import type { Call } from './calls.ts';
import type { WaitOptions } from './clients/adapter.ts';
import { isDivided, type PartialAnswers, RedisFilterError, typedError } from './error.ts';
import { integerIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { EXISTS } from './scripts.ts';

const ONE = 49;

/** The answers about keys that were sent together. */
export class Answers implements PartialAnswers {
  readonly done: Uint8Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  readonly confirmed?: Uint8Array<ArrayBuffer>;
  /** Why keys are not done or not confirmed. */
  readonly failures: RedisFilterError[] = [];
  /** The failures that are about some keys only, by the positions of these. */
  readonly #reasons: Map<number, RedisFilterError> = new Map();

  constructor(count: number, confirms: boolean) {
    this.done = new Uint8Array(count);
    this.flags = new Uint8Array(count);
    if (confirms) this.confirmed = new Uint8Array(count);
  }

  /** Takes the reply to a call: a character for each key that is done. */
  take({ positions }: Call, text: string): void {
    for (let i = 0; i < text.length; i++) {
      const position = positions[i] ?? 0;
      this.done[position] = 1;
      this.flags[position] = text.charCodeAt(i) === ONE ? 1 : 0;
    }
  }

  /** Takes the keys that a mirror knows to be present as done, with a flag that is the same for all. */
  takeKnown(known: Uint8Array, flag: boolean): void {
    this.done.set(known);
    if (flag) this.flags.set(known);
  }

  confirm({ positions }: Sent): void {
    for (const position of positions) if (this.confirmed) this.confirmed[position] = 1;
  }

  /** Takes a failure. Those of `positions` that have not failed before are not done, or not confirmed, because of it. */
  fail(failure: RedisFilterError, positions: readonly number[]): void {
    this.failures.push(failure);
    for (const position of positions) this.#reasons.set(position, this.#reasons.get(position) ?? failure);
  }

  /** Why a key is not done, or not confirmed; undefined if it is. */
  failureOf(position: number): RedisFilterError | undefined {
    const failure = this.#reasons.get(position) ?? this.failures.at(-1);
    if (failure === undefined || (this.done[position] === 1 && this.confirmed?.[position] !== 0)) return undefined;
    const { code, message, cause } = failure;
    return new RedisFilterError(code, message, { cause, answers: this.slice(position, position + 1) });
  }

  slice(start: number, end: number): PartialAnswers {
    const { done, flags, confirmed } = this;
    const known = { done: done.slice(start, end), flags: flags.slice(start, end) };
    return confirmed ? { ...known, confirmed: confirmed.slice(start, end) } : known;
  }
}

function joined(parts: readonly Answers[], name: 'done' | 'flags' | 'confirmed'): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, { done }) => length + done.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part[name] ?? [], at);
    at += part.done.length;
  }
  return all;
}

/** The error of a call about many keys whose last part failed. It has the answers of all parts. */
export function failureOf(parts: readonly Answers[]): RedisFilterError {
  const last = parts.at(-1) as Answers;
  const [first] = last.failures as [RedisFilterError];
  const done = joined(parts, 'done');
  const flags = joined(parts, 'flags');
  const confirmed = joined(parts, 'confirmed');
  const isWaiting = last.confirmed !== undefined;
  const count = (isWaiting ? confirmed : done).reduce((sum, each) => sum + each, 0);
  const known = `${count} of the first ${done.length} keys are ${isWaiting ? 'confirmed' : 'done'}`;
  const answers = isWaiting ? { done, flags, confirmed } : { done, flags };
  return new RedisFilterError(first.code, `${first.message} (${known})`, { cause: first.cause ?? first, answers });
}

/** A call that was answered. */
export interface Sent {
  /** The positions of the keys that were answered. */
  readonly positions: readonly number[];
  /** The key under which Redis saves the answer. */
  readonly key: string;
  /** The master that held the key when the answer came. */
  readonly master: unknown;
}

function groupBy<K>(items: readonly Sent[], keyOf: (item: Sent) => K): [Sent, ...Sent[]][] {
  const groups = new Map<K, [Sent, ...Sent[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Whether Redis still has the saved answers to calls of one slot. False while the slot is being moved. */
async function areSaved(calls: readonly [Sent, ...Sent[]], runner: ScriptRunner): Promise<boolean> {
  // If a slot is being moved, a master with only some of the keys replies with TRYAGAIN. This key never exists.
  const never = `${calls[0].key}:`;
  const keys = [...calls.map(({ key }) => key), never];
  try {
    return integerIn(await runner.run(EXISTS, keys, [], { divisible: true })) === calls.length;
  } catch (error) {
    if (isDivided(error)) return false;
    throw error;
  }
}

/** The error if keys are not confirmed. */
export function unconfirmed({ replicas, local }: WaitOptions): RedisFilterError {
  const servers = local === 1 ? ['the master'] : [];
  if (replicas > 0) servers.push(replicas === 1 ? '1 replica' : `${replicas} replicas`);
  const disk = `some of the keys are not on the disks of ${servers.join(' and ')}`;
  const message = local === undefined ? `fewer than ${replicas} replicas have confirmed some of the keys` : disk;
  return new RedisFilterError('UNREPLICATED', message);
}

/**
 * Waits until replicas have the keys that calls have added, and marks them as confirmed. After a failover, WAIT is about
 * another master, so a call is confirmed only if its saved answer is still there. It is not confirmed either if its slot
 * has moved to another master, whose replicas may not have the keys.
 */
export async function confirm(
  sent: readonly Sent[],
  answers: Answers,
  runner: ScriptRunner,
  wait: WaitOptions,
): Promise<void> {
  const isThere = ({ key, master }: Sent): boolean => runner.adapter.master(key) === master;
  const confirmMaster = async (calls: [Sent, ...Sent[]]): Promise<void> => {
    const slots = groupBy(calls, ({ key }) => key.slice(0, key.indexOf('}')));
    const end = Date.now() + wait.ms;
    let count = -1;
    for (const [{ key }] of slots) {
      // Nothing is known also if the master is late with its own disk, and then it is so for all slots.
      const ms = end - Date.now();
      if (count < 0 && ms > 0) count = integerIn(await runner.wait(key, { ...wait, ms }));
    }
    if (count < wait.replicas) return;
    await Promise.all(
      slots.map(async (calls) => {
        if (!(await areSaved(calls, runner)) || !isThere(calls[0])) return;
        for (const call of calls) answers.confirm(call);
      }),
    );
  };
  const masters = groupBy(sent.filter(isThere), ({ master }) => master);
  const results = await Promise.allSettled(masters.map(confirmMaster));
  for (const [i, result] of results.entries()) {
    const positions = masters[i]?.flatMap((call) => call.positions) ?? [];
    if (result.status === 'rejected') answers.fail(typedError(result.reason), positions);
  }
}
