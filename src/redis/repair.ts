import { askAll, find } from './check.ts';
import { type Connection, requireKept } from './connection.ts';
import { Generation, markGeneration } from './generations.ts';
import { namedKey } from './key-names.ts';
import { listKey, listKeys } from './layout.ts';
import { filterIn, lookAt } from './look.ts';
import type { StoredParameters } from './parameters.ts';
import { fieldsFor, forAll } from './pieces.ts';
import { areGarbage, type Findings, isIntact, lacking, rivals, unnamed } from './problems.ts';
import type { ScriptRunner } from './run-script.ts';
import { DROP, ENTER_UNTIL, Script } from './scripts.ts';

/** Something that `repair` does. */
export interface RedisRepairStep {
  /**
   * `lists` enters a filter that has all else in lists that are gone, `parameters` restores its parameters from the
   * lists, `finish` makes the pieces that a half made one lacks, `discard` deletes a filter that a client was making or
   * deleting when it died, and `orphans` deletes pieces that no filter has, beside one that is whole.
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

/** Enters a filter, or its last generation, in lists that lack it, unless another client is deleting it. */
async function enter(runner: ScriptRunner, findings: Findings, filter: StoredParameters): Promise<void> {
  const { name, bodies, last } = findings;
  const { id, groups, window } = filter;
  const lists = lacking(findings);
  const run = (script: Script, args: readonly string[], some = lists): Promise<void> =>
    forAll(some, async (list) => {
      await runner.run(script, [list], args);
    });
  const before = await lookAt(runner, name);
  if (window > 0) {
    const generation = new Generation(name, filter, last);
    // Those without pieces, which would otherwise be taken for those of a filter that was deleted.
    const spare = generation.lists.slice(groups).filter((list) => lists.includes(list));
    await run(ENTER_UNTIL, generation.entry, spare);
    await markGeneration(
      runner,
      generation,
      bodies.some(({ generation }) => generation === last - 1),
    );
  } else await run(ENTER_WHOLE, [id, JSON.stringify(filter)]);
  const { stored, listed } = await lookAt(runner, name);
  const { isWhole = false, lists: all = new Set() } = listed.get(id) ?? {};
  const isListed = isWhole && all.size === listKeys(name, groups).length;
  // A client that deletes it begins with the parameters, and then goes through the lists.
  const isThere = stored?.id === id || (before.stored === undefined && isListed);
  if (!isThere) await run(DROP, fieldsFor(id));
}

/** Discards a filter, unless another one has got the name meanwhile: what was found of the pieces is not of that. */
async function discard({ runner, store }: Connection, findings: Findings, stored: StoredParameters): Promise<void> {
  const look = await lookAt(runner, store.name);
  if (look.stored?.id !== findings.look.stored?.id) return;
  const now = unnamed({ ...findings, look, filter: filterIn(look) });
  if (now.some(({ id }) => id === stored.id)) await store.discard(stored);
}

/** What can be done without a risk for any key, in the order in which it must be done. */
function planFor(findings: Findings, connection: Connection): Step[] {
  const { runner, store } = connection;
  const { name, look, filter, orphans } = findings;
  // What cannot be read may know of other filters.
  if (look.refusal || look.spoiled.length > 0) return [];
  const plan: Step[] = [];
  const open = (): Promise<unknown> => store.open(undefined, (each) => requireKept(connection, each, each.window > 0));
  if (look.stored?.state === 'creating' && look.stored.window === 0) {
    const message = 'make the pieces that a half made filter lacks';
    if (rivals(findings).length === 0) plan.push({ action: 'finish', message, run: open });
  } else if (filter && isIntact(findings)) {
    const { length } = lacking(findings);
    if (length > 0) {
      const message = `enter the filter in ${length} ${length === 1 ? 'list that lacks' : 'lists that lack'} it`;
      plan.push({ action: 'lists', message, run: () => enter(runner, findings, filter) });
    }
    if (!look.stored) plan.push({ action: 'parameters', message: 'restore the parameters from the lists', run: open });
  }
  for (const stored of unnamed(findings)) {
    const message = `delete what is left of the filter ${stored.id}, which a client was making or deleting`;
    plan.push({ action: 'discard', message, run: () => discard(connection, findings, stored) });
  }
  if (orphans.length > 0 && areGarbage(findings)) {
    const run = (): Promise<void> =>
      forAll(orphans, async (piece) => {
        const list = listKey(name, piece.slice(piece.indexOf('{') + 1, piece.indexOf('}')));
        await runner.run(UNLINK_ORPHAN, [list, piece], [namedKey(piece)?.id ?? '']);
      });
    const pieces = orphans.length === 1 ? '1 piece' : `${orphans.length} pieces`;
    plan.push({ action: 'orphans', message: `delete ${pieces} that no filter has`, run });
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
  connection: Connection,
  isDry: boolean,
  onStep: (step: RedisRepairStep) => void,
): Promise<RedisRepairStep[]> {
  const { runner, store } = connection;
  const { masters, silent } = await askAll(runner, store.name);
  if (silent.length > 0) throw silent[0]?.error;
  const findings = await find(runner, store.name, true, masters);
  const steps: RedisRepairStep[] = [];
  for (const { action, message, run } of planFor(findings, connection)) {
    const step = { action, message };
    steps.push(step);
    onStep(step);
    if (!isDry) await run();
  }
  return steps;
}
