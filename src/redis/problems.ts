// What is wrong with a filter, given what Redis has of it.

import { expectedBlockedErrorRate } from '../kinds/blocked/sizing.ts';
import type { RedisFilterError } from './error.ts';
import { SLACK } from './generations.ts';
import { DEFAULT_SPREAD, listKeys, WHOLE } from './layout.ts';
import { type Body, type Look, notedIn, wholeIn } from './look.ts';
import type { Master, Told } from './masters.ts';
import type { StoredParameters } from './parameters.ts';
import { notesKey } from './pending-filters.ts';
import type { RedisProblem } from './report.ts';

/** A master, and what it tells of itself. */
export type Asked = Master & Told;

/** Those that hold parts of a filter, or would. */
export function holdersIn<T extends Master>(masters: readonly T[], name: string, filter?: StoredParameters): T[] {
  const keys = [name, ...listKeys(name, filter?.groups ?? DEFAULT_SPREAD)];
  return masters.filter(({ holds }) => keys.some(holds));
}

/** All that is known of a filter. */
export interface Findings {
  readonly name: string;
  readonly look: Look;
  /** The filter that has the name, or the only one that can have had it. */
  readonly filter: StoredParameters | undefined;
  /** Its bodies. */
  readonly bodies: readonly Body[];
  /** The number of the last generation that was made, as the lists say; −1 if none. */
  readonly last: number;
  /** The keys of pieces that no filter has. */
  readonly orphans: readonly string[];
  readonly masters: readonly Asked[];
  /** The time by the clock of the masters, in milliseconds since 1970. */
  readonly now: number;
  /** An estimate of the number of keys of a body. */
  readonly countOf: (body: Body) => number | undefined;
}

const REPAIR = 'run "bloomery redis repair", or call repair';
const LATER = `leave them until nothing critical is wrong, and then ${REPAIR}`;
const REFILL = 'delete it by its name, open it, and fill it again, or restore all of its keys from a backup';

type Level = RedisProblem['level'];

function problem(code: RedisProblem['code'], level: Level, message: string, remedy: string): RedisProblem {
  return { code, level, message, remedy };
}

/** The form of a verb for a number of things. */
const verbFor = ({ length }: readonly string[], one: string, many: string): string => (length === 1 ? one : many);

/** The number of some keys, and the first of them. */
function some(keys: readonly string[], noun: string): string {
  const [first = ''] = keys;
  return keys.length === 1 ? `1 ${noun} (${first})` : `${keys.length} ${noun}s (such as ${first})`;
}

/** The part of a key that decides its slot. */
const tagOf = (key: string): string => key.slice(0, key.indexOf('}'));

/** Whether a generation has expired. */
export function isOver({ window }: StoredParameters, generation: number, now: number): boolean {
  return (generation + 2) * window + SLACK < now;
}

/** Whether all pieces are there that the filter must have. */
export function isAllThere({ filter, bodies, last }: Findings): boolean {
  const isKnown = filter !== undefined && (filter.window === 0 || last >= 0 || bodies.length === 0);
  return isKnown && bodies.every(({ missing, damaged }) => missing.length + damaged.length === 0);
}

/** The filters in the lists that are not marked as whole in each, and that no note says more of. */
function unfinished(look: Look): StoredParameters[] {
  const noted = notedIn(look);
  return [...look.listed.values()].flatMap(({ isWhole, stored }) => (isWhole || noted.has(stored.id) ? [] : [stored]));
}

/** The filters that do not have the name, and never get it if no server has lost anything. */
function nameless({ look, filter }: Findings): StoredParameters[] {
  const idle = look.pending.filter(({ isAtWork }) => !isAtWork).map(({ stored }) => stored);
  return [...idle, ...unfinished(look)].filter(({ id }) => id !== filter?.id);
}

/**
 * Filters without the name that are marked as whole in some list. Each was being made or deleted, or it is the filter of
 * the name, and a server has lost its latest writes: unless the one that has the name is whole, nobody can tell.
 */
export function inDoubt(findings: Findings): StoredParameters[] {
  if (areGarbage(findings)) return [];
  const lists = [...findings.look.lists.values()];
  return nameless(findings).filter(({ id }) => lists.some((fields) => fields.has(`${id}${WHOLE}`)));
}

/** The filters in the lists and notes that do not have the name, and never get it: none of them has keys. */
export function unnamed(findings: Findings): StoredParameters[] {
  const kept = new Set(inDoubt(findings).map(({ id }) => id));
  return nameless(findings).filter(({ id }) => !kept.has(id));
}

/** Whole filters in the lists besides the one that has the name, or had it last. Any of them may be in use. */
export function rivals({ look, filter }: Findings): string[] {
  return wholeIn(look)
    .map(({ id }) => id)
    .filter((id) => id !== filter?.id);
}

/** The lists that must have a filter, or one of its generations, and do not. */
export function lacking({ name, look, filter, bodies, last, now }: Findings): string[] {
  if (filter === undefined || (filter.state === 'creating' && filter.window === 0)) return [];
  const fieldIn = (list: string, suffix: string): string | undefined => look.lists.get(list)?.get(filter.id + suffix);
  const lists = listKeys(name, filter.groups);
  if (filter.window === 0) return lists.filter((list) => fieldIn(list, WHOLE) === undefined);
  if (last >= 0) return isOver(filter, last, now) ? [] : lists.filter((list) => fieldIn(list, '.window') !== `${last}`);
  // No list says that a generation was made. But where a piece is, its list is, too.
  const present = new Set(bodies.flatMap((body) => body.present.map(({ key }) => tagOf(key))));
  const lacks = (list: string): boolean => present.has(tagOf(list)) && fieldIn(list, '') === undefined;
  // A number that is none.
  return lists.filter((list) => lacks(list) || fieldIn(list, '.window') !== undefined);
}

/** Those that stand beside pieces, so that calls read them. Two more may be in slots without pieces. */
function lackingBesidePieces(findings: Findings): string[] {
  const { name, filter } = findings;
  const beside = new Set(filter && listKeys(name, filter.groups).slice(0, filter.groups));
  return lacking(findings).filter((list) => beside.has(list));
}

/**
 * Whether a client has died while it noted the last generation in the lists. It notes that in the first one last, and
 * nobody adds keys before. The next call goes on.
 */
function isTurning({ name, look, filter, bodies, last }: Findings): boolean {
  if (filter === undefined || filter.window === 0) return false;
  const first = look.lists.get(listKeys(name, filter.groups)[0] ?? '');
  const isEmpty = bodies.some(({ generation, used }) => generation === last && used === 0);
  return isEmpty && first?.has(filter.id) === true && first.get(`${filter.id}.window`) !== `${last}`;
}

/**
 * Whether the filter is certainly as it was, but for its parameters and for lists that are gone. If a list has it without
 * the mark, its server has lost what was written last: also keys in the pieces beside it.
 */
export function isIntact(findings: Findings): boolean {
  const { look, filter } = findings;
  const isHalf = (list: string): boolean => look.lists.get(list)?.has(filter?.id ?? '') === true;
  const isKept = isTurning(findings) || !lackingBesidePieces(findings).some(isHalf);
  return isAllThere(findings) && rivals(findings).length === 0 && isKept;
}

/**
 * Whether pieces that no filter has can be deleted, and filters that have lost the name. If the filter of the name is gone
 * or damaged, they may be all that is left of it.
 */
export function areGarbage(findings: Findings): boolean {
  return findings.look.stored?.state === 'ready' && findings.look.spoiled.length === 0 && isIntact(findings);
}

function ofParameters(findings: Findings): RedisProblem[] {
  const { name, look, filter, orphans } = findings;
  const { stored, refusal } = look;
  if (refusal) {
    const remedies: Partial<Record<string, string>> = {
      FOREIGN: 'use another name for the filter, or delete that key if nothing needs it',
      VERSION: 'update bloomery',
      DAMAGED: `delete that one key, and ${REPAIR}`,
    };
    return [problem(refusal.code, 'critical', refusal.message, remedies[refusal.code] ?? REPAIR)];
  }
  if (stored?.state === 'creating' && stored.window > 0) {
    const message = 'the filter lacks keys that fromLocal brings: its maker is at work, or has died';
    return [problem('UNFINISHED', 'warning', message, 'if that stays so, call fromLocal again, with the same filter')];
  }
  if (stored?.state === 'creating') {
    const message = 'the filter is half made: its maker is at work, or has died';
    return [problem('UNFINISHED', 'warning', message, `if that stays so, ${REPAIR}`)];
  }
  if (stored) return [];
  if (filter === undefined) {
    const several = rivals(findings);
    if (several.length > 1) {
      const message = `the parameters are gone, and the lists have several filters: ${several.join(' and ')}`;
      return [problem('LOST', 'critical', message, REFILL)];
    }
    const noted = notedIn(look);
    const half = inDoubt(findings).flatMap(({ id }) => (noted.has(id) ? [] : [id]));
    if (half.length > 0) {
      const message = `the parameters are gone, and some lists lack the mark of ${some(half, 'filter')}: it was being deleted, or a server has lost its latest writes`;
      return [problem('LOST', 'critical', message, REFILL)];
    }
    const left = orphans.length > 0 ? ', but pieces are left of one: its parameters and all of its lists are gone' : '';
    const remedy =
      orphans.length > 0
        ? `restore ${name} and the lists from a backup, if there is one; else open it with a capacity, and fill it again`
        : 'open it with a capacity, which makes it, and fill it';
    return [problem('ABSENT', 'critical', `there is no filter "${name}"${left}`, remedy)];
  }
  const isRecoverable = isIntact(findings);
  const message = `the parameters are gone; the lists have them${isRecoverable ? ', and all pieces are there' : ''}`;
  return [problem('LOST', 'critical', message, isRecoverable ? REPAIR : REFILL)];
}

function ofLists(findings: Findings): RedisProblem[] {
  const { name, look, filter, orphans } = findings;
  const found: RedisProblem[] = [];
  const gone = lacking(findings);
  if (gone.length > 0) {
    const all = listKeys(name, filter?.groups ?? 1).length;
    const lack = `${some(gone, 'list')} of ${all} ${verbFor(gone, 'lacks', 'lack')} the filter`;
    const remedy = isIntact(findings) ? REPAIR : REFILL;
    if (isTurning(findings)) {
      const message = `${lack} in its last window: a client is noting that in the lists, or has died`;
      found.push(problem('UNFINISHED', 'warning', message, `the next call goes on; or ${REPAIR}`));
    } else if (lackingBesidePieces(findings).length > 0) {
      found.push(problem('LOST', 'critical', `${lack}: calls about their slots reject with LOST`, remedy));
    } else {
      const message = `${lack}: no call reads them, but they are to tell of the filter if its parameters are lost`;
      found.push(problem('LOST', 'warning', message, remedy));
    }
  }
  for (const { key, field, error } of look.spoiled) {
    const wrong = field === undefined ? `delete the key ${key}` : `delete that one field: HDEL ${key} ${field}`;
    const remedy = error.code === 'VERSION' ? 'update bloomery' : wrong;
    found.push(problem(error.code, 'critical', `${key} cannot be read: ${error.message}`, remedy));
  }
  const left = unnamed(findings).map(({ id }) => id);
  if (left.length > 0) {
    const message = `${some(left, 'filter')} without a name: a client is deleting ${verbFor(left, 'it', 'them')}, or has died`;
    found.push(problem('ORPHANS', 'warning', message, `if that stays so, ${look.spoiled.length > 0 ? LATER : REPAIR}`));
  }
  const noted = notedIn(look);
  for (const { id } of inDoubt(findings)) {
    // Told beside the parameters that are gone.
    if (filter === undefined && !noted.has(id)) continue;
    const message = `the lists have the filter ${id}, which is in use if a server has lost that it has got the name`;
    const set = `if it is, set the key ${name} to the value of the field ${id} of ${notesKey(name)}; else `;
    const remedy = `${noted.has(id) ? set : ''}leave it: once the filter of the name is whole, it is deleted`;
    found.push(problem('MISMATCH', 'critical', message, remedy));
  }
  const others = look.stored ? rivals(findings) : [];
  if (others.length > 0) {
    const message = `the lists have ${some(others, 'other filter')}, so the parameters may be those of an earlier one`;
    const other = filter && filter.window > 0 ? REFILL : 'clear() it, which deletes the other one, and fill it again';
    const remedy = `if the other one is right, delete the key ${name}, and ${REPAIR}; else ${other}`;
    found.push(problem('MISMATCH', 'critical', message, remedy));
  }
  if (orphans.length > 0) {
    const message = `${some(orphans, 'piece')} that no filter has`;
    const remedy = areGarbage(findings) ? `${REPAIR}, which deletes what nothing can read` : LATER;
    found.push(problem('ORPHANS', 'warning', message, remedy));
  }
  return found;
}

function ofBodies({ look, filter, bodies, last, countOf }: Findings): RedisProblem[] {
  if (filter === undefined || (filter.state === 'creating' && filter.window === 0)) return [];
  const { capacity, errorRate, bits, window } = filter;
  // Or it is being made.
  const isMade = window === 0 || last >= 0;
  return bodies.flatMap((body) => {
    const { generation, missing, damaged, layout } = body;
    const of = generation === undefined ? '' : ` of generation ${generation}`;
    const found: RedisProblem[] = [];
    const isOpenable = window === 0 && look.stored !== undefined;
    const remedy = isOpenable ? 'clear() it, and fill it again, or restore all of its keys from a backup' : REFILL;
    if (isMade && missing.length > 0) {
      const message = `${some(missing, 'piece')} of ${layout.count}${of} ${verbFor(missing, 'is', 'are')} missing: evicted, deleted, or lost with a server`;
      found.push(problem('LOST', 'critical', message, remedy));
    }
    if (damaged.length > 0) {
      const message = `${some(damaged, 'piece')} of ${layout.count}${of} ${verbFor(damaged, 'has another length, or is no string', 'have another length, or are no strings')}`;
      found.push(problem('LOST', 'critical', message, remedy));
    }
    const count = countOf(body);
    if (count !== undefined && capacity > 0 && count > 1.05 * capacity + 2 * Math.sqrt(capacity)) {
      const rate = Number.isFinite(count) ? expectedBlockedErrorRate(Math.round(count), bits) : 1;
      const wanted = window > 0 ? errorRate / 2 : errorRate;
      if (rate > wanted) {
        const keys = Number.isFinite(count) ? `about ${Math.round(count)}` : 'far more';
        const message = `${keys} keys${of} in a filter made for ${capacity}: the error rate is ${rate.toPrecision(3)}`;
        found.push(problem('OVERFULL', 'warning', message, 'make a larger filter under another name, and fill that'));
      }
    }
    return found;
  });
}

/** From which share of its memory limit on a server is told to be nearly full. */
const NEARLY_FULL = 0.9;

/** Why a server refuses what changes anything. */
function ofWrites({ address, role, goodReplicas, lastSnapshot, lastAppend }: Asked): RedisProblem[] {
  const who = address ?? 'the server';
  const refuses = `${who} takes no keys: `;
  if (role === 'slave') {
    return [problem('READONLY', 'critical', `${refuses}it is a replica`, 'connect to the master, or to the cluster')];
  }
  const found: RedisProblem[] = [];
  if (goodReplicas === 0) {
    const message = `${refuses}NOREPLICAS, as it has none that follow, and min-replicas-to-write is set`;
    found.push(problem('REDIS', 'critical', message, 'see to its replicas, or set min-replicas-to-write to 0'));
  }
  const remedy = "see to its disk, and to the server's log";
  if (lastAppend === 'err') {
    const message = `${refuses}MISCONF, as it could not write its append-only file`;
    found.push(problem('REDIS', 'critical', message, remedy));
  }
  if (lastSnapshot === 'err') {
    const message = `${who} could not write its last snapshot: with stop-writes-on-bgsave-error, the default, it takes no keys: MISCONF`;
    found.push(problem('REDIS', 'warning', message, remedy));
  }
  return found;
}

function ofMasters({ name, filter, masters: all, last, now }: Findings): RedisProblem[] {
  const masters = holdersIn(all, name, filter);
  const expires = filter !== undefined && filter.window > 0;
  const evicts = expires ? /^(allkeys|volatile)-/ : /^allkeys-/;
  const wanted = expires ? 'noeviction' : 'noeviction or a volatile policy';
  const found = masters.flatMap(({ address, policy, maxMemory, usedMemory, uncountedMemory = 0 }): RedisProblem[] => {
    const who = address ?? 'the server';
    if (policy === undefined || maxMemory === undefined) {
      const message = `${who} does not tell its maxmemory-policy, so it may evict the filter`;
      return [problem('EVICTION', 'note', message, `give the user the right +info, or see to it: ${wanted}`)];
    }
    if (maxMemory === 0) return [];
    if (evicts.test(policy)) {
      const remedy = `set maxmemory-policy to ${wanted}; if memory was full, delete the filter by its name, and fill it again`;
      return [problem('EVICTION', 'critical', `${who} evicts the filter when its memory is full: ${policy}`, remedy)];
    }
    if (usedMemory === undefined) return [];
    const share = (usedMemory - uncountedMemory) / maxMemory;
    const used = `${who} uses ${Math.round(100 * share)} % of its maxmemory`;
    const remedy = 'raise maxmemory, or delete what is not needed';
    if (policy === 'noeviction') {
      if (share >= 1) return [problem('OOM', 'critical', `${used}, and takes no keys`, remedy)];
      if (share < NEARLY_FULL) return [];
      return [problem('OOM', 'warning', `${used}, and takes no keys once that is full`, remedy)];
    }
    // Others are evicted before: a cache is always nearly full.
    return share < 1 ? [] : [problem('OOM', 'warning', `${used}, and may have nothing left to evict`, remedy)];
  });
  found.push(...masters.flatMap(ofWrites));
  return [...found, ...ofClocks(filter, masters, last, now)];
}

/** The difference of clocks that is told, in milliseconds. */
const CLOCK_DIFFERENCE = 1000;

function ofClocks(
  filter: StoredParameters | undefined,
  masters: readonly Asked[],
  last: number,
  now: number,
): RedisProblem[] {
  const window = filter?.window ?? 0;
  if (window === 0) return [];
  const remedy = 'keep the clocks of all masters and replicas together, by NTP';
  const found: RedisProblem[] = [];
  const known = masters.filter(({ ahead }) => ahead !== undefined);
  const least = Math.max(...known.map(({ ahead = 0, uncertainty }) => ahead - uncertainty));
  const most = Math.min(...known.map(({ ahead = 0, uncertainty }) => ahead + uncertainty));
  const difference = least - most;
  if (difference > Math.min(CLOCK_DIFFERENCE, window / 10)) {
    const message = `the clocks of the masters differ by ${Math.round(difference)} ms: keys are forgotten earlier by as much`;
    found.push(problem('CLOCKS', difference >= window ? 'critical' : 'warning', message, remedy));
  }
  if (last * window > now + CLOCK_DIFFERENCE) {
    const begins = new Date(last * window).toISOString();
    const message = `the filter is in a window that begins at ${begins}: a clock was ahead, and nothing is forgotten until then`;
    found.push(problem('CLOCKS', 'warning', message, `${remedy}; delete the filter by its name if you cannot wait`));
  }
  return found;
}

const LEVELS: readonly Level[] = ['critical', 'warning', 'note'];

/** All problems, the critical ones first. */
export function problemsOf(findings: Findings): RedisProblem[] {
  const all = [ofParameters, ofLists, ofBodies, ofMasters].flatMap((about) => about(findings));
  return all.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

/** What is told of a master that does not answer. */
export function silenceOf(address: string | undefined, { code, message }: RedisFilterError): RedisProblem {
  const remedy = 'see to that server: until it answers, nothing can be told of the filter';
  return problem(code, 'critical', `${address ?? 'the server'} does not answer: ${message}`, remedy);
}
