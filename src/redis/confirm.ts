import type { Answers } from './answers.ts';
import { RedisFilterError, typedError } from './error.ts';
import type { Call } from './plan.ts';
import type { Runner } from './runner.ts';
import { EXISTS } from './scripts.ts';
import type { WaitOptions } from './settings.ts';

/** A call that was answered. */
export interface Sent {
  readonly call: Call;
  /** A key in the slot of the call, under which Redis remembers the answer if `isRemembered`. */
  readonly key: string;
  readonly isRemembered: boolean;
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

/** Whether the servers still remember all of the calls. */
async function areRemembered(calls: readonly Sent[], runner: Runner): Promise<boolean> {
  const keys = calls.filter(({ isRemembered }) => isRemembered).map(({ key }) => key);
  return keys.length === 0 || Number(await runner.run(EXISTS, keys, [], { repeatable: true })) === keys.length;
}

/**
 * Waits until replicas have what calls have added. After a failover, WAIT speaks of a new connection and not of the
 * calls, so they are confirmed only if their master still remembers them.
 */
export async function confirm(
  sent: readonly Sent[],
  answers: Answers,
  runner: Runner,
  wait: WaitOptions,
): Promise<void> {
  const confirmMaster = async (calls: [Sent, ...Sent[]]): Promise<void> => {
    if ((await runner.wait(calls[0].key, wait)) < wait.replicas) return;
    const slots = groupBy(calls, ({ key }) => key.slice(0, key.indexOf('}')));
    await Promise.all(
      slots.map(async (calls) => {
        if (await areRemembered(calls, runner)) for (const { call } of calls) answers.confirm(call);
      }),
    );
  };
  const masters = groupBy(sent, ({ key }) => runner.adapter.master(key));
  const results = await Promise.allSettled(masters.map(confirmMaster));
  if (answers.confirmed?.every(Boolean)) return;
  for (const result of results) if (result.status === 'rejected') answers.failures.push(typedError(result.reason));
  const message = `fewer than ${wait.replicas} replicas have confirmed some of the keys`;
  answers.failures.push(new RedisFilterError('UNREPLICATED', message));
}
