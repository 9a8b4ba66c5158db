// The Lua scripts that run in Redis, for filters of a fixed size and for those that forget.

import { utf8Of } from '../kernel/utf8.ts';
import { WORDS } from '../kinds/blocked/sizing.ts';
import type { Argument } from './clients/adapter.ts';

/** A Lua script. */
export class Script {
  readonly source: string;
  #sha: string | undefined;
  #isHashing = false;

  constructor(source: string) {
    this.source = source;
  }

  /**
   * The SHA-1 of the text in hexadecimal digits, which EVALSHA takes; undefined for a moment after it was first asked
   * for, as digests come late. The text is then sent instead: who waited could find the client closed.
   */
  get sha(): string | undefined {
    if (!this.#isHashing) {
      this.#isHashing = true;
      crypto.subtle.digest('SHA-1', utf8Of(this.source)).then((digest) => {
        this.#sha = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
      });
    }
    return this.#sha;
  }
}

/** What to do with keys: `note` adds them without telling which were new. */
export type Verb = 'add' | 'note' | 'has';

/** Where Redis saves the answer to a call. A retry gets the same answer, so it still reports which keys were new. */
export interface SavedAnswer {
  readonly key: string;
  /** For how many milliseconds it is saved, and 1 if it is saved even when no key was new. */
  readonly args: readonly [life: string, always: string];
}

/** A script with its keys, and the arguments that follow the records. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
}

// Adding and looking up. A record is 12 bytes for one key: which piece (u16), which block of it (u16), and the bit of
// each of the block's eight words. Words are numbers, and a bit is tested and set by arithmetic: in Redis's Lua, that
// is faster than its bit library, and eight times as fast as BITFIELD.
//
// KEYS[1] is the list of the slot of the first piece, and the pieces follow. If the list does not have the filter, the
// reply has no flags. Another filter of the name is made only when no list has the old one, so that its pieces, if some
// are left, are never used beside the new ones. Reading the list also keeps it as recently used as the pieces.

const numbers = Array.from({ length: WORDS }, (_, i) => i + 1);
/** The variables of a block's words. */
const words: string = numbers.map((i) => `w${i}`).join();
const bits = numbers.map((i) => `b${i}`).join();
/** The format of a block, in quotation marks. */
const format: string = `'<${'I4'.repeat(WORDS)}'`;

/**
 * Visits each record.
 *
 * @param missing what to do if a piece is gone; by default the loop ends, so that the reply has too few flags
 */
function forEachKey(visit: string, missing = 'break'): string {
  return `local records,call,byte,unpack,pack,flags=ARGV[1],redis.call,string.byte,struct.unpack,struct.pack,{}
for at=1,#records,12 do
local k1,k2,o1,o2,${bits}=byte(records,at,at+11)
local key,offset=KEYS[k1+k2*256+2],(o1+o2*256)*32
local block=call('getrange',key,offset,offset+31)
if #block<32 then ${missing} end
local ${words}=unpack(${format},block)
${visit}
end
local answer=table.concat(flags)
`;
}

/** Sets the bits of a key. If one of them was not set, the variable `new` becomes 1. */
const SET_BITS: string = `local new,m='0'
${numbers.map((i) => `m=2^b${i} if w${i}%(m+m)<m then w${i}=w${i}+m new='1' end`).join('\n')}
if new=='1' then call('setrange',key,offset,pack(${format},${words})) end`;

/** Whether a bit of a key is not set in its block. */
const MISSES: string = numbers.map((i) => `w${i}/2^b${i}%2<1`).join(' or ');

/** Gives up unless the list has the field ARGV[2]. If that is empty, there is no list, and a piece in its place. */
const REQUIRE_LISTED = "if ARGV[2]~='' and not redis.call('hget',KEYS[1],ARGV[2]) then return '' end\n";

const addKeys = `${REQUIRE_LISTED}${forEachKey(`${SET_BITS}
flags[#flags+1]=new`)}`;

/** Adds keys. Replies with a character for each: 1 if it was certainly absent, else 0. */
export const ADD: Script = /* @__PURE__ */ new Script(`${addKeys}return answer`);

/**
 * Makes adding safe to retry: saves the reply under the last of KEYS for ARGV[3] milliseconds. If there already is one,
 * this is a retry: the script repeats it and adds nothing. A reply without new keys is saved only if ARGV[4] is 1.
 */
export const ADD_ONCE: Script = /* @__PURE__ */ new Script(`local again=redis.call('get',KEYS[#KEYS])
if again then return again end
${addKeys}if ARGV[4]=='1' or answer:find('1',1,true) then call('set',KEYS[#KEYS],answer,'px',ARGV[3]) end
return answer`);

/** Looks keys up. Replies with a character for each: 1 if it may be present, else 0. */
export const HAS: Script = /* @__PURE__ */ new Script(
  `${REQUIRE_LISTED}${forEachKey(`flags[#flags+1]=(${MISSES}) and '0' or '1'`)}return answer`,
);

/** Returns 1 if the list KEYS[1] has the field ARGV[1], else 0. */
export const LISTED: Script = /* @__PURE__ */ new Script("return redis.call('hget',KEYS[1],ARGV[1]) and 1 or 0");

// Parameters and whole pieces.

export const READ: Script = /* @__PURE__ */ new Script("return redis.call('get',KEYS[1])");

/** Sets KEYS[1] to ARGV[1] if it does not exist. Returns its value. */
export const CREATE: Script = /* @__PURE__ */ new Script(`local value=redis.call('get',KEYS[1])
if value then return value end
redis.call('set',KEYS[1],ARGV[1])
return ARGV[1]`);

/** If KEYS[1] is ARGV[1], sets it to ARGV[2], or deletes it without ARGV[2]. Returns its value after that. */
export const SWAP: Script = /* @__PURE__ */ new Script(`local value=redis.call('get',KEYS[1])
if value~=ARGV[1] then return value end
if ARGV[2] then redis.call('set',KEYS[1],ARGV[2]) else redis.call('unlink',KEYS[1]) end
return ARGV[2]`);

/**
 * Sets in KEYS[1] the bits that are set in ARGV[1]. KEYS[2] is a temporary key. If KEYS[1] expires, then at ARGV[2]: BITOP
 * makes it last. Returns 0 if the lengths differ.
 */
export const MERGE: Script = /* @__PURE__ */ new Script(`if redis.call('strlen',KEYS[1])~=#ARGV[1] then return 0 end
redis.call('set',KEYS[2],ARGV[1])
redis.call('bitop','or',KEYS[1],KEYS[1],KEYS[2])
redis.call('unlink',KEYS[2])
if ARGV[2] then redis.call('pexpireat',KEYS[1],ARGV[2]) end
return 1`);

/** Returns the bytes of KEYS[1] from ARGV[1] to ARGV[2]. */
export const EXPORT: Script = /* @__PURE__ */ new Script("return redis.call('getrange',KEYS[1],ARGV[1],ARGV[2])");

/** Counts the set bits of KEYS[1]. Returns −1 if it does not have ARGV[1] bytes. */
export const COUNT: Script = /* @__PURE__ */ new Script(`if redis.call('strlen',KEYS[1])~=tonumber(ARGV[1]) then
return -1
end
return redis.call('bitcount',KEYS[1])`);

/** Counts the KEYS that exist. */
export const EXISTS: Script = /* @__PURE__ */ new Script(`local count=0
for _,key in ipairs(KEYS) do count=count+redis.call('exists',key) end
return count`);

// Making and deleting filters. Each slot with pieces has a list of the filters whose pieces they are: a hash with the
// id and the parameters of each, and with `ID.whole` once all pieces of a filter are made. Two more slots, on two
// masters, have such a list too. A filter that is written before it is published, or that is still to be deleted, is noted in a
// hash beside the parameters. A lease says that its maker is at work.

/** Enters a filter in the list KEYS[1]: id ARGV[1], parameters ARGV[2]. */
export const ENTER: Script = /* @__PURE__ */ new Script("return redis.call('hset',KEYS[1],ARGV[1],ARGV[2])");

/** Makes KEYS[1], ARGV[1] zero bytes, unless it exists. Enters its filter in the list KEYS[2]: ARGV[2], ARGV[3]. */
export const MAKE: Script = /* @__PURE__ */ new Script(`if redis.call('exists',KEYS[1])==0 then
redis.call('hset',KEYS[2],ARGV[2],ARGV[3])
redis.call('setrange',KEYS[1],ARGV[1]-1,'\\0')
end
return 1`);

/** Writes ARGV[1] to KEYS[1] from byte ARGV[2] on, unless it is gone. */
export const WRITE: Script = /* @__PURE__ */ new Script(`if redis.call('exists',KEYS[1])==1 then
redis.call('setrange',KEYS[1],ARGV[2],ARGV[1])
end
return 1`);

/**
 * Notes in the list KEYS[1] that all pieces of the filter ARGV[1] are made, unless it was deleted meanwhile. The list then
 * lasts, even if one that forgets was in it before.
 */
export const SEAL: Script = /* @__PURE__ */ new Script(`if redis.call('hget',KEYS[1],ARGV[1]) then
redis.call('hset',KEYS[1],ARGV[1]..'.whole','1')
redis.call('persist',KEYS[1])
end
return 1`);

export const FIELDS: Script = /* @__PURE__ */ new Script("return redis.call('hgetall',KEYS[1])");

export const DROP: Script = /* @__PURE__ */ new Script("return redis.call('hdel',KEYS[1],unpack(ARGV))");

export const UNLINK: Script = /* @__PURE__ */ new Script("return redis.call('unlink',KEYS[1])");

/** Notes in KEYS[1] that the filter ARGV[1], ARGV[2] is being made, with the lease KEYS[2] of ARGV[3] milliseconds. */
export const NOTE: Script = /* @__PURE__ */ new Script(`redis.call('hset',KEYS[1],ARGV[1],ARGV[2])
redis.call('set',KEYS[2],'1','px',ARGV[3])
return 1`);

/** Extends a lease to ARGV[1] milliseconds from now. Returns 0 if it has expired. */
export const RENEW: Script = /* @__PURE__ */ new Script(
  "return redis.call('set',KEYS[1],'1','xx','px',ARGV[1]) and 1 or 0",
);

/**
 * Publishes a filter: sets KEYS[1] to its parameters, ARGV[1], if it is ARGV[2], or does not exist and ARGV[2] is
 * empty. In the notes, KEYS[2], the old id ARGV[4] takes the place of the new id ARGV[3]. Does nothing if the lease
 * KEYS[3] has expired. Returns the parameters that the name has afterwards.
 */
export const PUBLISH: Script = /* @__PURE__ */ new Script(`local value=redis.call('get',KEYS[1])
if (value or '')~=ARGV[2] or redis.call('exists',KEYS[3])==0 then return value end
if value then redis.call('hset',KEYS[2],ARGV[4],value) end
redis.call('set',KEYS[1],ARGV[1])
redis.call('hdel',KEYS[2],ARGV[3])
redis.call('unlink',KEYS[3])
return ARGV[1]`);

// Filters that forget. The server's clock says which generation is the current one. KEYS are the list, the pieces of
// the current generation and the same pieces of the one before. ARGV[3] to ARGV[5] are the window in milliseconds, the
// number of the current generation, and 1 if the one before has been made. A list has the number of the last generation
// that was made under `ID.window`, which is ARGV[2], and that of the one before it, if it was made, under `ID.before`.

/** The number of the generation that is current by the server's clock. */
const NOW = `local function current(window)
local time=redis.call('time')
return string.format('%.0f',math.floor((time[1]*1000+math.floor(time[2]/1000))/window))
end
`;

/**
 * Replies `!N` if the client's generation is stale; N is the current one. The clock does not go back behind a generation
 * that the list or the client knows, as it would after a failover to a server whose clock is behind. Gives up if the list
 * lacks what was made.
 *
 * @param made whether the current generation was made
 */
const refuse = (made: string): string => `${NOW}local now,last=current(ARGV[3]),redis.call('hget',KEYS[1],ARGV[2])
if last and tonumber(last)>tonumber(now) then now=last end
if tonumber(now)>tonumber(ARGV[4]) then return '!'..now end
if (${made} and last~=ARGV[4]) or (ARGV[5]=='1' and not last) then return '' end
`;

/** Sets `before` to whether the generation before has the key. Ends the loop if the piece is lost. */
const LOOK_BEFORE = `local old=call('getrange',KEYS[k1+k2*256+2+math.floor((#KEYS-1)/2)],offset,offset+31)
local before=false
if #old<32 and ARGV[5]=='1' then break end
if #old==32 then
local ${words}=unpack(${format},old)
before=not(${MISSES})
end`;

const addRotating = `${refuse('true')}${forEachKey(`${LOOK_BEFORE}
${SET_BITS}
flags[#flags+1]=before and '0' or new`)}`;

export const ROTATING_ADD: Script = /* @__PURE__ */ new Script(`${addRotating}return answer`);

/** As `ADD_ONCE`, with ARGV[6] and ARGV[7] in place of ARGV[3] and ARGV[4]. */
export const ROTATING_ADD_ONCE: Script = /* @__PURE__ */ new Script(`local again=redis.call('get',KEYS[#KEYS])
if again then return again end
${addRotating}if ARGV[7]=='1' or answer:find('1',1,true) then call('set',KEYS[#KEYS],answer,'px',ARGV[6]) end
return answer`);

/** Looks keys up. Unless ARGV[6] is 1, the current generation may not have been made: missing pieces count as empty. */
export const ROTATING_HAS: Script = /* @__PURE__ */ new Script(
  `${refuse("ARGV[6]=='1'")}${forEachKey(
    `${LOOK_BEFORE}
flags[#flags+1]=(before or not(${MISSES})) and '1' or '0'`,
    "if ARGV[6]=='1' then break end block=string.rep('\\0',32)",
  )}return answer`,
);

/** Returns the current generation for a window of ARGV[1] milliseconds. */
export const GENERATION: Script = /* @__PURE__ */ new Script(`${NOW}return current(ARGV[1])`);

/** Returns two fields of the list KEYS[1], ARGV[1] and ARGV[2]; empty texts for those that it lacks. */
export const MADE: Script = /* @__PURE__ */ new Script(
  "return {redis.call('hget',KEYS[1],ARGV[1]) or '',redis.call('hget',KEYS[1],ARGV[2]) or ''}",
);

/**
 * Enters a filter that forgets in a list, which then expires with the last generation. A list of another filter lasts as long
 * as that, until `MARK` follows: this one may have been deleted meanwhile.
 */
const ENTER_LIST = `local isOwn=true
for i,field in ipairs(redis.call('hgetall',KEYS[1])) do
if i%2==1 and field:sub(1,#ARGV[1])~=ARGV[1] then isOwn=false end
end
redis.call('hset',KEYS[1],ARGV[1],ARGV[2],ARGV[1]..'.whole','1')
if isOwn and tonumber(redis.call('hget',KEYS[1],ARGV[1]..'.window') or -1)<tonumber(ARGV[3]) then
redis.call('pexpireat',KEYS[1],ARGV[4])
end
`;

/** Enters a filter in the list KEYS[1]: id ARGV[1], parameters ARGV[2]. It expires with generation ARGV[3], at ARGV[4]. */
export const ENTER_UNTIL: Script = /* @__PURE__ */ new Script(`${ENTER_LIST}return 1`);

/**
 * Makes KEYS[2], ARGV[5] zero bytes, unless it exists, and enters its filter in the list KEYS[1] as `ENTER_UNTIL` does.
 * Both expire. Returns 0 if the piece exists, but is not in the list, which is therefore lost.
 */
export const MAKE_UNTIL: Script = /* @__PURE__ */ new Script(`if redis.call('exists',KEYS[2])==1 then
return redis.call('hget',KEYS[1],ARGV[1]) and 1 or 0
end
${ENTER_LIST}redis.call('setrange',KEYS[2],ARGV[5]-1,'\\0')
redis.call('pexpireat',KEYS[2],ARGV[4])
return 1`);

/**
 * Takes back what `ENTER_UNTIL`, or with KEYS[2] what `MAKE_UNTIL` has done for generation ARGV[3] of the filter ARGV[1],
 * unless it is noted as made, so that it may have keys.
 */
export const UNMAKE: Script = /* @__PURE__ */ new Script(`local last=redis.call('hget',KEYS[1],ARGV[1]..'.window')
if last and tonumber(last)>=tonumber(ARGV[3]) then return 0 end
if KEYS[2] then redis.call('unlink',KEYS[2]) end
if not last then redis.call('hdel',KEYS[1],ARGV[1],ARGV[1]..'.whole') end
return 1`);

/**
 * Notes in the list KEYS[1] that generation ARGV[3] of a filter, id ARGV[1] and parameters ARGV[2], is made, and with
 * ARGV[5] the one before, unless a later one is. The list expires at ARGV[4]. Does nothing if neither the filter is in
 * the list nor its piece KEYS[2] is there: then it was deleted. A list without pieces gives itself for KEYS[2].
 */
export const MARK: Script = /* @__PURE__ */ new Script(`local id,list=ARGV[1],KEYS[1]
if not redis.call('hget',list,id) and (KEYS[2]==list or redis.call('exists',KEYS[2])==0) then return 0 end
if tonumber(redis.call('hget',list,id..'.window') or -1)>=tonumber(ARGV[3]) then return 1 end
redis.call('hset',list,id,ARGV[2],id..'.whole','1',id..'.window',ARGV[3],id..'.before',ARGV[5])
redis.call('pexpireat',list,ARGV[4])
return 1`);
