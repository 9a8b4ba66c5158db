// How much keys take, and for how long nobody has used them.

import { isDivided } from './error.ts';
import { LOOK } from './masters.ts';
import { integersIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { Script } from './scripts.ts';

/**
 * For each of KEYS: its memory, −1 if the user may not know, and for how many seconds nobody has used it, −1 if the
 * server does not know; twice −2 if it is gone. To ask for these is no use.
 */
const SIZES: Script = /* @__PURE__ */ new Script(`local found={}
for _,key in ipairs(KEYS) do
local gone=redis.call('exists',key)==0
for _,size in ipairs({redis.pcall('memory','usage',key),redis.pcall('object','idletime',key)}) do
found[#found+1]=gone and -2 or type(size)=='number' and size or -1
end
end
return found`);

/** How much a key takes. */
export interface Size {
  readonly key: string;
  readonly isGone: boolean;
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
    const measureSome = async (some: readonly string[]): Promise<void> => {
      const reply = integersIn(await runner.run(script, some, [], { ...LOOK, divisible: true }), size * some.length);
      for (const i of some.keys()) found.push(reply.slice(size * i, size * (i + 1)));
    };
    try {
      await measureSome(some);
    } catch (error) {
      if (!isDivided(error)) throw error;
      // While the slot is being moved, some of the keys are on another server.
      for (const key of some) await measureSome([key]);
    }
  }
  return found;
}

/** Measures keys of one slot. */
export async function sizesOf(runner: ScriptRunner, keys: readonly string[]): Promise<Size[]> {
  const known = (value = -1): number | undefined => (value < 0 ? undefined : value);
  const found = await measured(runner, SIZES, keys, 2);
  return found.map(([memory, idle], i) => {
    return { key: keys[i] as string, isGone: memory === -2, memory: known(memory), idle: known(idle) };
  });
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

/** What keys take together, in bytes; null if the user may not know. */
export function memoryOf(sizes: readonly Size[]): number | null {
  if (sizes.some(({ memory }) => memory === undefined)) return null;
  return sizes.reduce((sum, { memory = 0 }) => sum + memory, 0);
}
