// The scripts that run in Redis. A record is 12 bytes for one key: which of KEYS (u16), which block of it (u16), and
// the bit of each of the block's eight words. Words are numbers, and a bit is tested and set by arithmetic: in Redis's
// Lua, that is faster than its bit library, and eight times as fast as BITFIELD.

import { WORDS } from '../sizing-blocked.ts';
import { Script } from './script.ts';

const numbers = Array.from({ length: WORDS }, (_, i) => i + 1);
/** The variables of a block's words. */
export const words: string = numbers.map((i) => `w${i}`).join();
const bits = numbers.map((i) => `b${i}`).join();
/** The format of a block, in quotation marks. */
export const format: string = `'<${'I4'.repeat(WORDS)}'`;

/**
 * Visits each record.
 *
 * @param missing what to do if a piece is gone; by default, end the visit, so that the answer is shorter than expected
 */
export function forEachKey(visit: string, missing = 'break'): string {
  return `local records,call,byte,unpack,pack,flags=ARGV[1],redis.call,string.byte,struct.unpack,struct.pack,{}
for at=1,#records,12 do
local k1,k2,o1,o2,${bits}=byte(records,at,at+11)
local key,offset=KEYS[k1+k2*256+1],(o1+o2*256)*32
local block=call('getrange',key,offset,offset+31)
if #block<32 then ${missing} end
local ${words}=unpack(${format},block)
${visit}
end
local answer=table.concat(flags)
`;
}

/** Sets the bits of a key that are not set, and with any of them the variable `new`. */
export const SET_BITS: string = `local new,m='0'
${numbers.map((i) => `m=2^b${i} if w${i}%(m+m)<m then w${i}=w${i}+m new='1' end`).join('\n')}
if new=='1' then call('setrange',key,offset,pack(${format},${words})) end`;

/** Whether a bit of a key is not set in its block. */
export const MISSES: string = numbers.map((i) => `w${i}/2^b${i}%2<1`).join(' or ');

const addKeys = forEachKey(`${SET_BITS}
flags[#flags+1]=new`);

/** Adds keys. Answers with a character for each: 1 if it was certainly absent, else 0. */
export const ADD: Script = /* @__PURE__ */ new Script(`${addKeys}return answer`);

/**
 * Adds keys, and remembers the answer under the last of KEYS for ARGV[2] milliseconds. If it is there already, the same
 * call was sent before, and nothing is added. An answer without news need not be remembered, unless ARGV[3] is 1.
 */
export const ADD_ONCE: Script = /* @__PURE__ */ new Script(`local again=redis.call('get',KEYS[#KEYS])
if again then return again end
${addKeys}if ARGV[3]=='1' or answer:find('1',1,true) then call('set',KEYS[#KEYS],answer,'px',ARGV[2]) end
return answer`);

/** Looks keys up. Answers with a character for each: 1 if it may be present, else 0. */
export const HAS: Script = /* @__PURE__ */ new Script(
  `${forEachKey(`flags[#flags+1]=(${MISSES}) and '0' or '1'`)}return answer`,
);

export const READ: Script = /* @__PURE__ */ new Script("return redis.call('get',KEYS[1])");

/** Sets KEYS[1] to ARGV[1] if it has no value. Returns its value. */
export const CREATE: Script = /* @__PURE__ */ new Script(`local value=redis.call('get',KEYS[1])
if value then return value end
redis.call('set',KEYS[1],ARGV[1])
return ARGV[1]`);

/** Replaces the value ARGV[1] of KEYS[1] by ARGV[2], or deletes it without ARGV[2]. Returns the value it has then. */
export const SWAP: Script = /* @__PURE__ */ new Script(`local value=redis.call('get',KEYS[1])
if value~=ARGV[1] then return value end
if ARGV[2] then redis.call('set',KEYS[1],ARGV[2]) else redis.call('unlink',KEYS[1]) end
return ARGV[2]`);

/** Makes KEYS[1], ARGV[1] bytes of zeros, unless it is there. */
export const MAKE: Script = /* @__PURE__ */ new Script(`if redis.call('exists',KEYS[1])==0 then
redis.call('setrange',KEYS[1],ARGV[1]-1,'\\0')
end
return 1`);

export const WRITE: Script = /* @__PURE__ */ new Script("redis.call('set',KEYS[1],ARGV[1]) return 1");

/** Sets in KEYS[1] the bits that are set in ARGV[1], by way of KEYS[2]. Returns 0 if the lengths differ. */
export const MERGE: Script = /* @__PURE__ */ new Script(`if redis.call('strlen',KEYS[1])~=#ARGV[1] then return 0 end
redis.call('set',KEYS[2],ARGV[1])
redis.call('bitop','or',KEYS[1],KEYS[1],KEYS[2])
redis.call('unlink',KEYS[2])
return 1`);

export const EXPORT: Script = /* @__PURE__ */ new Script("return redis.call('getrange',KEYS[1],0,-1)");

/** Counts the bits of KEYS[1] that are set; −1 unless it has ARGV[1] bytes. */
export const COUNT: Script = /* @__PURE__ */ new Script(`if redis.call('strlen',KEYS[1])~=tonumber(ARGV[1]) then
return -1
end
return redis.call('bitcount',KEYS[1])`);

/** Counts the KEYS that are there. */
export const EXISTS: Script = /* @__PURE__ */ new Script("return redis.call('exists',unpack(KEYS))");

export const UNLINK: Script = /* @__PURE__ */ new Script("return redis.call('unlink',KEYS[1])");
