import { mustBe } from '../checks/validate.ts';
import type { RedisAdapter } from './clients/adapter.ts';
import { type IoRedisClient, ioRedis, isIoRedis } from './clients/ioredis.ts';
import { isNodeRedis, type NodeRedisClient, nodeRedis } from './clients/node-redis.ts';
import { isValkeyGlide, type ValkeyGlideClient, valkeyGlide } from './clients/valkey-glide.ts';
import { RedisFilterError } from './error.ts';
import { Layout, type Location } from './layout.ts';
import { ScriptRunner } from './run-script.ts';
import { Script } from './scripts.ts';
import type { BatchSettings } from './settings.ts';
import { Store } from './store.ts';

/** Returns the name if a filter may have it. */
function requireName(name: string): string {
  const wanted = 'a string of 1 character or more, without braces';
  if (typeof name !== 'string') throw new TypeError(mustBe('name', wanted, name));
  // Redis Cluster uses the first pair of braces in a key, and pieces are spread by a later one.
  if (name === '' || /[{}]/.test(name)) throw new RangeError(mustBe('name', wanted, name));
  return name;
}

/** How a filter object reaches Redis. */
export class Connection {
  readonly settings: BatchSettings;
  readonly runner: ScriptRunner;
  readonly store: Store;
  /** Whether replicas may answer what only reads. */
  readonly readOnly: boolean;

  constructor(client: RedisClient, name: string, settings: BatchSettings) {
    this.settings = settings;
    this.readOnly = settings.readFrom === 'replica';
    this.runner = new ScriptRunner(adapterOf(client), settings.timeout);
    this.store = new Store(requireName(name), this.runner, this.readOnly);
    if (settings.wait) this.runner.requireWait();
  }
}

/** Returns the server's maxmemory-policy; an empty text if it has no memory limit, or if the user may not ask. */
const POLICY: Script = /* @__PURE__ */ new Script(`local info=redis.pcall('info','memory')
if type(info)~='string' or info:find('\\nmaxmemory:0\\r',1,true) then return '' end
return info:match('\\nmaxmemory_policy:([%w-]+)') or ''`);

/**
 * Checks that no server with the parameters or a piece may evict keys of a filter. A missing piece is noticed, but if
 * its marks and lists are evicted too, the filter looks new, and the next client makes it again, empty.
 *
 * @param expires whether the keys expire
 * @throws RedisFilterError EVICTION
 */
export async function requireKept(
  { runner, store, readOnly }: Connection,
  placed: Location,
  expires: boolean,
): Promise<void> {
  const layout = new Layout(store.name, placed);
  const keys = [store.name, ...Array.from({ length: layout.groups }, (_, group) => layout.key(group))];
  const masters = new Map(keys.map((key) => [runner.adapter.master(key), key]));
  const policyOf = async (key: string): Promise<string> =>
    String(await runner.run(POLICY, [key], [], { readOnly, latest: true, repeatable: true }));
  const policies = await Promise.all(Array.from(masters.values(), policyOf));
  const evicts = expires ? /^(allkeys|volatile)-/ : /^allkeys-/;
  const policy = policies.find((each) => evicts.test(each));
  if (policy === undefined) return;
  const wanted = expires ? 'noeviction, for its keys expire' : 'noeviction or volatile-…';
  throw new RedisFilterError('EVICTION', `maxmemory-policy of "${store.name}" must be ${wanted}, got ${policy}`);
}

/**
 * A connected client of `redis` (5 or 6), `ioredis` (5.3 or later), `iovalkey` or `@valkey/valkey-glide` (2), single or
 * cluster, or an adapter for another client.
 */
export type RedisClient = NodeRedisClient | IoRedisClient | ValkeyGlideClient | RedisAdapter;

function isAdapter(client: object): client is RedisAdapter {
  return 'send' in client && typeof client.send === 'function';
}

/**
 * Returns the adapter for a client. Clients are recognized by their methods.
 *
 * @throws TypeError for anything else
 */
export function adapterOf(client: RedisClient): RedisAdapter {
  if (typeof client === 'object' && client !== null) {
    if (isAdapter(client)) return client;
    if (isIoRedis(client)) return ioRedis(client);
    if (isNodeRedis(client)) return nodeRedis(client);
    if (isValkeyGlide(client)) return valkeyGlide(client);
  }
  throw new TypeError(
    mustBe('client', 'a client or cluster of redis, ioredis, iovalkey or @valkey/valkey-glide, or an adapter', client),
  );
}
