// The masters of a server or a cluster: which there are, what each tells of itself, and the names of its keys.

import { slotOf } from './cluster-slots.ts';
import { integerIn, textsIn } from './replies.ts';
import type { RunOptions, ScriptRunner } from './run-script.ts';
import { Script } from './scripts.ts';

/** Users who may only read may look, and the masters answer. */
export const LOOK: RunOptions = { readOnly: true, latest: true };

export interface Master {
  /** `host:port`, as the cluster says; undefined for a single server. */
  readonly address: string | undefined;
  /** A key in one of its slots, under which nothing is stored. Scripts about no key in particular are sent to it. */
  readonly key: string;
  holds(key: string): boolean;
}

/** For each range of slots: its first and last one, and the host, the port and the id of its master. */
const RANGES: Script = /* @__PURE__ */ new Script(`local found={}
for _,range in ipairs(redis.call('cluster','slots')) do
for _,part in ipairs({range[1],range[2],unpack(range[3],1,3)}) do found[#found+1]=tostring(part) end
end
return found`);

/** After so many keys, one of them is in each slot, but for one case in a hundred million. A server may name others. */
const MOST_TRIES = 1_000_000;

/** So many keys are, most likely, on several masters. */
const ASKED_KEYS = 16;

interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds all masters.
 *
 * @param name begins the keys by which they are reached
 */
export async function mastersOf(runner: ScriptRunner, name: string): Promise<Master[]> {
  const keyOf = (number: number): string => `${name}:{${number}}:`;
  if (!runner.adapter.cluster) return [{ address: undefined, key: name, holds: () => true }];
  // The first master that answers: another one may be dead.
  const keys = Array.from({ length: ASKED_KEYS }, (_, number) => keyOf(number));
  const askable = new Map(keys.map((key) => [runner.adapter.master(key), key]));
  const answers = Array.from(askable.values(), (key) => runner.run(RANGES, [key], [], LOOK));
  const reply = textsIn(await Promise.any(answers).catch(({ errors }: AggregateError) => Promise.reject(errors[0])));
  const masters = new Map<string, { readonly address: string; readonly ranges: Range[] }>();
  for (let i = 0; i < reply.length; i += 5) {
    const [first, last, host, port, id = ''] = reply.slice(i, i + 5);
    const master = masters.get(id) ?? { address: `${host}:${port}`, ranges: [] };
    master.ranges.push({ first: integerIn(first), last: integerIn(last) });
    masters.set(id, master);
  }
  return Array.from(masters.values(), ({ address, ranges }) => {
    const holds = (key: string): boolean => {
      const slot = slotOf(key);
      return ranges.some(({ first, last }) => first <= slot && slot <= last);
    };
    let number = 0;
    while (number < MOST_TRIES && !holds(keyOf(number))) number++;
    return { address, key: keyOf(number), holds };
  });
}

/** What a master tells of itself. Texts that are empty say that the user may not know. */
const TELL: Script = /* @__PURE__ */ new Script(`local function ask(...)
local reply=redis.pcall(...)
return not (type(reply)=='table' and reply.err) and reply or nil
end
local time=ask('time') or {'',''}
local memory,server=ask('info','memory') or '',ask('info','server') or ''
local copies,disk=ask('info','replication') or '',ask('info','persistence') or ''
local function line(info,name) return info:match('\\n'..name..':([^\\r]*)') or '' end
local version=line(server,'valkey_version')
if version=='' then version=line(server,'redis_version') end
return {time[1],time[2],line(memory,'maxmemory_policy'),line(memory,'maxmemory'),line(memory,'used_memory'),version,
line(memory,'mem_not_counted_for_evict'),line(copies,'role'),line(copies,'min_slaves_good_slaves'),
line(disk,'rdb_last_bgsave_status'),line(disk,'aof_last_write_status')}`);

export interface Told {
  /** How far its clock is ahead of that of this process, in milliseconds; undefined if the user may not know. */
  readonly ahead: number | undefined;
  /** By how much `ahead` can be wrong, because the answer was on its way. */
  readonly uncertainty: number;
  readonly policy: string | undefined;
  /** 0 without a limit. */
  readonly maxMemory: number | undefined;
  readonly usedMemory: number | undefined;
  readonly version: string | undefined;
  /** The part of the memory that does not count for the limit. */
  readonly uncountedMemory: number | undefined;
  readonly role: string | undefined;
  /** The number of replicas that follow; undefined without `min-replicas-to-write`. */
  readonly goodReplicas: number | undefined;
  /** `ok` or `err`. */
  readonly lastSnapshot: string | undefined;
  /** `ok` or `err`. */
  readonly lastAppend: string | undefined;
}

export async function ask(runner: ScriptRunner, { key }: Master): Promise<Told> {
  const begun = Date.now();
  const reply = textsIn(await runner.run(TELL, [key], [], LOOK));
  const uncertainty = (Date.now() - begun) / 2;
  const [seconds, micros, policy, maxMemory, usedMemory, version, ...more] = reply.map((text) => text || undefined);
  const [uncountedMemory, role, goodReplicas, lastSnapshot, lastAppend] = more;
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : integerIn(text));
  const time = seconds === undefined ? undefined : integerIn(seconds) * 1000 + integerIn(micros) / 1000;
  return {
    ahead: time === undefined ? undefined : time - begun - uncertainty,
    uncertainty,
    policy,
    maxMemory: number(maxMemory),
    usedMemory: number(usedMemory),
    version,
    uncountedMemory: number(uncountedMemory),
    role,
    goodReplicas: number(goodReplicas),
    lastSnapshot,
    lastAppend,
  };
}

const SCAN: Script = /* @__PURE__ */ new Script(`local reply=redis.call('scan',ARGV[1],'match',ARGV[2],'count',ARGV[3])
table.insert(reply[2],1,reply[1])
return reply[2]`);

/** How many keys the server visits before it serves other clients again: half a millisecond on a busy machine. */
const SCAN_COUNT = '500';

/** Yields the names of all keys of a master that match a pattern, some of them perhaps twice. */
export async function* keysOn(
  runner: ScriptRunner,
  { key }: Master,
  pattern: string,
): AsyncGenerator<readonly string[], undefined, undefined> {
  let cursor = '0';
  do {
    const [next = '0', ...keys] = textsIn(await runner.run(SCAN, [key], [cursor, pattern, SCAN_COUNT], LOOK));
    yield keys;
    cursor = next;
  } while (cursor !== '0');
}
