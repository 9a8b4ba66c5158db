// The scripts of filters that forget. The server's clock says which generation is the current one. KEYS are the pieces
// of the current generation and the same pieces of the one before, and ARGV[2] to ARGV[4] the window in milliseconds,
// the number of the current generation, and 1 if the one before has been made.

import { Script } from './script.ts';
import { forEachKey, format, MISSES, SET_BITS, words } from './scripts.ts';

/** The number of the generation that is current by the server's clock. */
const NOW = `local function current(window)
local time=redis.call('time')
return string.format('%.0f',math.floor((time[1]*1000+math.floor(time[2]/1000))/window))
end
`;

/** Answers with the current generation instead, if the client takes another one for it. */
const REFUSE = `${NOW}local now=current(ARGV[2])
if now~=ARGV[3] then return '!'..now end
`;

/** Sets `before` to whether the generation before has the key. Ends the visit if the piece is lost. */
const LOOK_BEFORE = `local old,before=call('getrange',KEYS[k1+k2*256+1+math.floor(#KEYS/2)],offset,offset+31),false
if #old<32 and ARGV[4]=='1' then break end
if #old==32 then
local ${words}=unpack(${format},old)
before=not(${MISSES})
end`;

const addKeys = forEachKey(`${LOOK_BEFORE}
${SET_BITS}
flags[#flags+1]=before and '0' or new`);

export const ROTATING_ADD: Script = /* @__PURE__ */ new Script(`${REFUSE}${addKeys}return answer`);

/** As `ADD_ONCE`: the last of KEYS remembers the answer for ARGV[5] milliseconds, without news only if ARGV[6] is 1. */
export const ROTATING_ADD_ONCE: Script = /* @__PURE__ */ new Script(`local again=redis.call('get',KEYS[#KEYS])
if again then return again end
${REFUSE}${addKeys}if ARGV[6]=='1' or answer:find('1',1,true) then call('set',KEYS[#KEYS],answer,'px',ARGV[5]) end
return answer`);

/** Looks keys up. Without ARGV[5] as 1, the current generation may not have been made: what is missing is empty. */
export const ROTATING_HAS: Script = /* @__PURE__ */ new Script(
  `${REFUSE}${forEachKey(
    `${LOOK_BEFORE}
flags[#flags+1]=(before or not(${MISSES})) and '1' or '0'`,
    "if ARGV[5]=='1' then break end block=string.rep('\\0',32)",
  )}return answer`,
);

/** Returns the current generation for a window of ARGV[1] milliseconds. */
export const GENERATION: Script = /* @__PURE__ */ new Script(`${NOW}return current(ARGV[1])`);

/** Makes KEYS[1], ARGV[1] bytes of zeros, unless it is there; it expires at ARGV[2], in milliseconds since 1970. */
export const MAKE_UNTIL: Script = /* @__PURE__ */ new Script(`if redis.call('exists',KEYS[1])==0 then
redis.call('setrange',KEYS[1],ARGV[1]-1,'\\0')
redis.call('pexpireat',KEYS[1],ARGV[2])
end
return 1`);

/** Notes in KEYS[1], until ARGV[1], that all pieces of a generation are made. */
export const NOTE_MADE: Script = /* @__PURE__ */ new Script(
  "redis.call('set',KEYS[1],'1') redis.call('pexpireat',KEYS[1],ARGV[1]) return 1",
);
