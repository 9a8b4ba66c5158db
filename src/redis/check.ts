import { estimateCount } from '../filters/estimate.ts';
import { isCount } from '../util/checks/received.ts';
import { type RedisFilterError, typedError } from './error.ts';
import { Generation } from './generations.ts';
import { namedKey, patternOf } from './key-names.ts';
import { Layout, listKeys, WHOLE } from './layout.ts';
import { type Body, filterIn, type Look, lookAt, lookAtBody } from './look.ts';
import { ask, keysOn, type Master, mastersOf } from './masters.ts';
import type { StoredParameters } from './parameters.ts';
import { type Asked, type Findings, holdersIn, isOver, lacking, problemsOf, silenceOf } from './problems.ts';
import { parametersIn, type RedisFilterReport, type RedisMasterReport, type RedisProblem } from './report.ts';
import type { ScriptRunner } from './run-script.ts';
import { memoryOf } from './sizes.ts';

/** The last time of a Date, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;

/** The number of the last generation that was made, as the lists say; −1 if none. */
function lastOf({ lists }: Look, { id, window }: StoredParameters): number {
  const texts = Array.from(lists.values(), (fields) => fields.get(`${id}.window`) ?? '');
  // A list may hold anything.
  const numbers = texts.map((text) => (/^\d+$/.test(text) ? Number(text) : -1));
  return Math.max(-1, ...numbers.filter((number) => isCount(number, 0, MAX_TIME / window)));
}

/** The generations that were made and have not expired; those that could be, if the lists do not say. */
function generationsOf(name: string, look: Look, filter: StoredParameters, last: number, now: number): Generation[] {
  const current = Math.floor(now / filter.window);
  const isBeforeMade = [...look.lists.values()].some(
    (fields) => fields.get(`${filter.id}.before`) === String(last - 1),
  );
  const numbers = last < 0 ? [current - 1, current] : isBeforeMade ? [last - 1, last] : [last];
  return numbers.filter((number) => !isOver(filter, number, now)).map((number) => new Generation(name, filter, number));
}

/** Finds the keys of pieces that no filter has. Reads the names of all keys of all masters. */
async function orphansOf(runner: ScriptRunner, masters: readonly Asked[], name: string): Promise<string[]> {
  const pieces = new Set<string>();
  for (const master of masters) {
    for await (const keys of keysOn(runner, master, patternOf(name))) {
      for (const key of keys) if (namedKey(key)?.part === 'piece') pieces.add(key);
    }
  }
  if (pieces.size === 0) return [];
  // Looked at after the pieces: a filter is in a list before it has pieces there.
  const { stored, listed, pending } = await lookAt(runner, name);
  const known = new Set([stored?.id, ...listed.keys(), ...pending.map((each) => each.stored.id)]);
  return [...pieces].filter((key) => !known.has(namedKey(key)?.id)).sort();
}

/** A master that does not answer. */
interface Silent {
  readonly address: string | undefined;
  readonly error: RedisFilterError;
}

/** Asks all masters. */
export async function askAll(runner: ScriptRunner, name: string): Promise<{ masters: Asked[]; silent: Silent[] }> {
  const askOne = async (master: Master): Promise<Asked | Silent> => {
    try {
      return { ...master, ...(await ask(runner, master)) };
    } catch (thrown) {
      const error = typedError(thrown);
      if (error.code !== 'TIMEOUT' && error.code !== 'CONNECTION') throw error;
      return { address: master.address, error };
    }
  };
  const all = await Promise.all((await mastersOf(runner, name)).map(askOne));
  return { masters: all.filter((each) => 'holds' in each), silent: all.filter((each) => 'error' in each) };
}

/** Reads all that is known of a filter. Changes nothing. */
export async function find(
  runner: ScriptRunner,
  name: string,
  looksForOrphans: boolean,
  masters: readonly Asked[],
): Promise<Findings> {
  const orphans = looksForOrphans ? await orphansOf(runner, masters, name) : [];
  const look = await lookAt(runner, name);
  const filter = filterIn(look);
  const now = Date.now() + Math.max(...holdersIn(masters, name, filter).map(({ ahead = 0 }) => ahead));
  const last = filter ? lastOf(look, filter) : -1;
  const layouts = !filter
    ? []
    : filter.window > 0
      ? generationsOf(name, look, filter, last, now)
      : [new Layout(name, filter)];
  const bodies: Body[] = [];
  for (const layout of layouts) {
    const body = await lookAtBody(runner, layout);
    if (filter?.window === 0 || last >= 0 || body.present.length > 0) bodies.push(body);
  }
  const countOf = ({ used }: Body): number | undefined =>
    filter && used !== undefined ? estimateCount(used / filter.bits, filter.bits, filter.hashes) : undefined;
  return { name, look, filter, bodies, last, orphans, masters, now, countOf };
}

const statusOf = ([worst]: readonly RedisProblem[]): RedisFilterReport['status'] =>
  worst === undefined || worst.level === 'note' ? 'ok' : worst.level;

function masterReport(
  master: Asked,
  held: Pick<RedisMasterReport, 'hasParameters' | 'lists' | 'pieces'>,
): RedisMasterReport {
  const { address, version, policy, maxMemory, usedMemory, ahead } = master;
  return {
    address: address ?? null,
    version: version ?? null,
    policy: policy ?? null,
    maxMemory: maxMemory ?? null,
    usedMemory: usedMemory ?? null,
    clockAhead: ahead ?? null,
    ...held,
  };
}

/** Whether a list says that the filter is whole, or that its last generation is. */
function isRight({ look, filter, last }: Findings, list: string): boolean {
  const fields = look.lists.get(list);
  if (filter === undefined) return false;
  if (filter.window === 0) return fields?.has(`${filter.id}${WHOLE}`) === true;
  return last >= 0 && fields?.get(`${filter.id}.window`) === `${last}`;
}

/** The lists that the filter must have. */
function wantedLists({ name, filter, last, now }: Findings): string[] {
  const isForgotten = filter && filter.window > 0 && (last < 0 || isOver(filter, last, now));
  return filter && !isForgotten ? listKeys(name, filter.groups) : [];
}

function reportOf(findings: Findings, hasOrphans: boolean): RedisFilterReport {
  const { name, look, filter, bodies, orphans, masters, countOf } = findings;
  const problems = problemsOf(findings);
  const lists = new Set([...wantedLists(findings), ...lacking(findings), ...look.lists.keys()]);
  const present = bodies.flatMap((body) => body.present);
  const estimateOf = (body: Body): number | null => {
    const count = countOf(body) ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(count) ? count : null;
  };
  return {
    name,
    status: statusOf(problems),
    problems,
    parameters: filter ? parametersIn(filter) : null,
    lists: Array.from(lists, (key) => {
      const ids = [...(look.lists.get(key)?.keys() ?? [])].filter((id) => !id.includes('.'));
      return { key, isRight: isRight(findings, key), others: ids.filter((id) => id !== filter?.id) };
    }),
    bodies: bodies.map((body) => ({
      generation: body.generation ?? null,
      pieces: body.layout.count,
      missing: body.missing,
      damaged: body.damaged,
      fillRatio: filter && body.used !== undefined ? body.used / filter.bits : null,
      estimatedCount: estimateOf(body),
    })),
    pending: look.pending.map(({ stored: { id }, isAtWork }) => ({ id, isAtWork })),
    orphans: hasOrphans ? orphans : null,
    byteLength: filter ? (filter.bits / 8) * (filter.window > 0 ? 2 : 1) : 0,
    memory: memoryOf(present),
    masters: masters.map((master) =>
      masterReport(master, {
        hasParameters: look.stored !== undefined && master.holds(name),
        lists: [...look.lists.keys()].filter(master.holds).length,
        pieces: present.filter(({ key }) => master.holds(key)).length,
      }),
    ),
  };
}

/** What is known if some masters do not answer. */
function silentReport(name: string, masters: readonly Asked[], problems: RedisProblem[]): RedisFilterReport {
  const nothing = { hasParameters: null, lists: null, pieces: null };
  return {
    ...{ name, status: statusOf(problems), problems, parameters: null, lists: [], bodies: [], pending: [] },
    ...{ orphans: null, byteLength: null, memory: null },
    masters: masters.map((master) => masterReport(master, nothing)),
  };
}

/** Problems that do not come and go while a filter is cleared, made, deleted or turned. */
const LASTING: ReadonlySet<string> = new Set(['EVICTION', 'OOM', 'CLOCKS', 'OVERFULL', 'TIMEOUT', 'CONNECTION']);

/** Describes a filter, whatever has become of it. */
export async function checkFilter(
  runner: ScriptRunner,
  name: string,
  looksForOrphans: boolean,
): Promise<RedisFilterReport> {
  const look = async (): Promise<RedisFilterReport> => {
    const { masters, silent } = await askAll(runner, name);
    if (silent.length === 0) return reportOf(await find(runner, name, looksForOrphans, masters), looksForOrphans);
    if (masters.length === 0) throw silent[0]?.error;
    const problems = silent.map(({ address, error }) => silenceOf(address, error));
    return silentReport(name, masters, problems);
  };
  const report = await look();
  // Another client may have been at work while it was looked at.
  return report.problems.every(({ code }) => LASTING.has(code)) ? report : look();
}
