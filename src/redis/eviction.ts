import type { Connection } from './connection.ts';
import { RedisFilterError } from './error.ts';
import { Script } from './script.ts';

/**
 * Returns what the server evicts when its memory is full; an empty text if its memory has no limit, or if the user may
 * not ask.
 */
const POLICY: Script = /* @__PURE__ */ new Script(`local info=redis.pcall('info','memory')
if type(info)~='string' or info:find('\\nmaxmemory:0\\r',1,true) then return '' end
return info:match('\\nmaxmemory_policy:([%w-]+)') or ''`);

/**
 * Checks that the server will not evict the keys of a filter. A missing piece is an error, but if the key that tells
 * that it was made is evicted too, whoever opens the filter makes it again, empty.
 *
 * @param expires whether the keys expire
 * @throws RedisFilterError EVICTION
 */
export async function requireKept({ runner, store, readOnly }: Connection, expires: boolean): Promise<void> {
  const policy = String(await runner.run(POLICY, [store.name], [], { readOnly, repeatable: true }));
  const evicts = expires ? /^(allkeys|volatile)-/ : /^allkeys-/;
  if (!evicts.test(policy)) return;
  const wanted = expires ? 'noeviction, for its keys expire' : 'noeviction or volatile-…';
  throw new RedisFilterError('EVICTION', `maxmemory-policy of "${store.name}" must be ${wanted}, got ${policy}`);
}
