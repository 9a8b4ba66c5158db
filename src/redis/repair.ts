import { find } from './check.ts';
import { Generation, markGeneration } from './generations.ts';
import { namedKey } from './key-names.ts';
import { listKey, listKeys, WHOLE } from './layout.ts';
import { lookAt } from './look.ts';
import type { StoredParameters } from './parameters.ts';
import { forAll } from './pieces.ts';
import { type Findings, isAllThere, lacking, unnamed } from './problems.ts';
import type { ScriptRunner } from './run-script.ts';
import { DROP, Script } from './scripts.ts';
import type { Store } from './store.ts';

/** Something that `repair` does. */
export interface RedisRepairStep {
  /**
   * `lists` enters a filter whose pieces are all there in lists that lack it, `parameters` restores its parameters from
   * the lists, `finish` makes the pieces that a half made one lacks, `discard` deletes a filter that a client was making
   * or deleting when it died, and `orphans` deletes pieces that no filter has.
   */
  readonly action: 'lists' | 'parameters' | 'finish' | 'discard' | 'orphans';
  /** A sentence that says what is done. */
  readonly message: string;
}

interface Step extends RedisRepairStep {
  run(): Promise<unknown>;
}

/** Deletes the piece KEYS[2] unless the list KEYS[1] has its filter, ARGV[1]. */
const UNLINK_ORPHAN: Script = /* @__PURE__ */ new Script(
  "return redis.call('hget',KEYS[1],ARGV[1]) and 0 or redis.call('unlink',KEYS[2])",
);

/** Enters a whole filter in the list KEYS[1]: id ARGV[1], parameters ARGV[2]. At once, or it would look unfinished. */
const ENTER_WHOLE: Script = /* @__PURE__ */ new Script(
  "return redis.call('hset',KEYS[1],ARGV[1],ARGV[2],ARGV[1]..'.whole','1')",
);

/** Enters a filter in lists, unless another client is deleting it. */
async function enter(runner: ScriptRunner, name: string, filter: StoredParameters, lists: string[]): Promise<void> {
  const { id, groups } = filter;
  const run = (script: Script, args: string[]): Promise<void> =>
    forAll(lists, async (list) => {
      await runner.run(script, [list], args, { repeatable: true });
    });
  const before = await lookAt(runner, name);
  await run(ENTER_WHOLE, [id, JSON.stringify(filter)]);
  const { stored, listed } = await lookAt(runner, name);
  const { isWhole = false, lists: all = new Set() } = listed.get(id) ?? {};
  const isListed = isWhole && all.size === listKeys(name, groups).length;
  // A client that deletes it begins with the parameters, and then goes through the lists.
  const isThere = stored?.id === id || (before.stored === undefined && isListed);
  if (!isThere) await run(DROP, [id, `${id}${WHOLE}`]);
}

/** What can be done without a risk for any key, in the order in which it must be done. */
function planFor(findings: Findings, runner: ScriptRunner, store: Store): Step[] {
  const { name, look, filter, bodies, last, orphans } = findings;
  // What cannot be read may know of other filters.
  if (look.refusal || look.spoiled.length > 0) return [];
  const plan: Step[] = [];
  const open = (): Promise<unknown> => store.open(undefined, async () => {});
  if (look.stored?.state === 'creating' && look.stored.window === 0) {
    plan.push({ action: 'finish', message: 'make the pieces that a half made filter lacks', run: open });
  } else if (filter && isAllThere(findings)) {
    const lists = lacking(findings);
    if (lists.length > 0) {
      const isBeforeMade = bodies.some(({ generation }) => generation === last - 1);
      const run = (): Promise<void> =>
        filter.window > 0
          ? markGeneration(runner, new Generation(name, filter, last), isBeforeMade)
          : enter(runner, name, filter, lists);
      plan.push({ action: 'lists', message: `enter the filter in ${lists.length} lists that lack it`, run });
    }
    if (!look.stored) plan.push({ action: 'parameters', message: 'restore the parameters from the lists', run: open });
  }
  for (const stored of unnamed(findings)) {
    const message = `delete what is left of the filter ${stored.id}, which a client was making or deleting`;
    plan.push({ action: 'discard', message, run: () => store.discard(stored) });
  }
  if (orphans.length > 0) {
    const run = (): Promise<void> =>
      forAll(orphans, async (piece) => {
        const list = listKey(name, piece.slice(piece.indexOf('{') + 1, piece.indexOf('}')));
        await runner.run(UNLINK_ORPHAN, [list, piece], [namedKey(piece)?.id ?? ''], { repeatable: true });
      });
    plan.push({ action: 'orphans', message: `delete ${orphans.length} pieces that no filter has`, run });
  }
  return plan;
}

/**
 * Repairs what can be repaired without a risk for any key.
 *
 * @param onStep called before each step
 * @returns the steps
 */
export async function repairFilter(
  runner: ScriptRunner,
  store: Store,
  isDry: boolean,
  onStep: (step: RedisRepairStep) => void,
): Promise<RedisRepairStep[]> {
  const steps: RedisRepairStep[] = [];
  for (const { action, message, run } of planFor(await find(runner, store.name, true), runner, store)) {
    const step = { action, message };
    steps.push(step);
    onStep(step);
    if (!isDry) await run();
  }
  return steps;
}
