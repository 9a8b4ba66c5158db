// The masters of a server or a cluster: which there are, what each tells of itself, and the names of its keys.

import { slotOf } from './cluster-slots.ts';
import { integerIn, integersIn, textsIn } from './replies.ts';
import type { RunOptions, ScriptRunner } from './run-script.ts';
import { Script } from './scripts.ts';

/** Users who may only read may look, and the masters answer. */
export const LOOK: RunOptions = { readOnly: true, latest: true, repeatable: true };

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
  const reply = textsIn(await runner.run(RANGES, [keyOf(0)], [], LOOK));
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
local function line(info,name) return info:match('\\n'..name..':([^\\r]*)') or '' end
local version=line(server,'valkey_version')
if version=='' then version=line(server,'redis_version') end
return {time[1],time[2],line(memory,'maxmemory_policy'),line(memory,'maxmemory'),line(memory,'used_memory'),version}`);

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
}

export async function ask(runner: ScriptRunner, { key }: Master): Promise<Told> {
  const begun = Date.now();
  const reply = textsIn(await runner.run(TELL, [key], [], LOOK));
  const uncertainty = (Date.now() - begun) / 2;
  const [seconds, micros, policy, maxMemory, usedMemory, version] = reply.map((text) => text || undefined);
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : integerIn(text));
  const time = seconds === undefined ? undefined : integerIn(seconds) * 1000 + integerIn(micros) / 1000;
  return {
    ahead: time === undefined ? undefined : time - begun - uncertainty,
    uncertainty,
    policy,
    maxMemory: number(maxMemory),
    usedMemory: number(usedMemory),
    version,
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

/**
 * For each of KEYS: its memory, −1 if the user may not know, and for how many seconds nobody has used it, −1 if the
 * server does not know. To ask for these is no use.
 */
const SIZES: Script = /* @__PURE__ */ new Script(`local found={}
for _,key in ipairs(KEYS) do
for _,size in ipairs({redis.pcall('memory','usage',key),redis.pcall('object','idletime',key)}) do
found[#found+1]=type(size)=='number' and size or -1
end
end
return found`);

/** How much a key takes. */
export interface Size {
  readonly key: string;
  /** In bytes, with all that Redis needs for it; undefined if it is missing or the user may not know. */
  readonly memory: number | undefined;
  /** For how many seconds nobody has used it; undefined if it is missing or the server does not know. */
  readonly idle: number | undefined;
}

/** The most keys that one script measures. */
const MEASURED_KEYS = 100;

/** Runs a script that replies with some integers for each of many keys of one slot. */
async function measured(
  runner: ScriptRunner,
  script: Script,
  keys: readonly string[],
  size: number,
): Promise<number[][]> {
  const found: number[][] = [];
  for (let at = 0; at < keys.length; at += MEASURED_KEYS) {
    const some = keys.slice(at, at + MEASURED_KEYS);
    const reply = await runner.run(script, some, [], LOOK);
    for (const i of some.keys()) found.push(integersIn(reply, size * some.length).slice(size * i, size * (i + 1)));
  }
  return found;
}

/** Measures keys of one slot. */
export async function sizesOf(runner: ScriptRunner, keys: readonly string[]): Promise<Size[]> {
  const known = (value = -1): number | undefined => (value < 0 ? undefined : value);
  const found = await measured(runner, SIZES, keys, 2);
  return found.map(([memory, idle], i) => ({ key: keys[i] as string, memory: known(memory), idle: known(idle) }));
}

/** The length of each of KEYS: 0 if it is missing, −1 if it is not a string. */
const LENGTHS: Script = /* @__PURE__ */ new Script(`local found={}
for i,key in ipairs(KEYS) do
local length=redis.pcall('strlen',key)
if type(length)=='table' then
if not length.err:find('WRONGTYPE',1,true) then return length end
length=-1
end
found[i]=length
end
return found`);

/** A key of a string. */
export interface Measured extends Size {
  /** In bytes; 0 if it is missing, −1 if it is not a string. */
  readonly length: number;
}

/** Measures keys of one slot, and uses them. */
export async function measure(runner: ScriptRunner, keys: readonly string[]): Promise<Measured[]> {
  const sizes = await sizesOf(runner, keys);
  const lengths = await measured(runner, LENGTHS, keys, 1);
  return sizes.map((size, i) => ({ ...size, length: lengths[i]?.[0] ?? 0 }));
}
