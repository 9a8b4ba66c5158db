import { mustBe } from '../util/checks/validate.ts';
import { adapterOf, type RedisClient } from './clients/any-client.ts';
import { RedisFilterError } from './error.ts';
import { Events, warn } from './events.ts';
import { type Location, listKeys } from './layout.ts';
import { notesKey } from './pending-filters.ts';
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
  readonly events: Events;
  readonly runner: ScriptRunner;
  readonly store: Store;
  /** Whether replicas may answer what only reads. */
  readonly readOnly: boolean;

  constructor(client: RedisClient, name: string, settings: BatchSettings) {
    this.settings = settings;
    this.readOnly = settings.readFrom === 'replica';
    const adapter = adapterOf(client);
    this.events = new Events(name, adapter, settings.onEvent);
    this.runner = new ScriptRunner(adapter, settings, this.events);
    this.store = new Store(requireName(name), this.runner, this.readOnly);
    if (settings.wait) this.runner.requireWait();
  }

  /** Asks for what the option `wait` needs of a server for `local`, and throws its error. */
  async requireDisk(): Promise<void> {
    const { wait } = this.settings;
    // A key beside the notes: what the wait writes belongs to this filter alone, and has a tag, so that it is in the slot.
    if (wait?.local !== undefined) await this.runner.wait(notesKey(this.store.name), { ...wait, ms: 1 });
  }
}

/** Returns the server's maxmemory-policy; an empty text if it has no memory limit, and ? if it does not tell. */
const POLICY: Script = /* @__PURE__ */ new Script(`local info=redis.pcall('info','memory')
if type(info)~='string' then return '?' end
if info:find('\\nmaxmemory:0\\r',1,true) then return '' end
return info:match('\\nmaxmemory_policy:([%w-]+)') or '?'`);

/** The names of the filters of which it was said that the policy is unknown. */
const warned = /* @__PURE__ */ new Set<string>();

/** Says, once for each name, that nobody knows whether the server evicts the filter. */
function warnOfEviction(name: string, wanted: string): void {
  if (warned.has(name)) return;
  warned.add(name);
  warn(`bloomery cannot tell whether Redis evicts parts of "${name}" when its memory is full`, {
    code: 'BLOOMERY_EVICTION',
    detail: `Give the user the right +info, or see to it that maxmemory-policy is ${wanted}.`,
  });
}

/**
 * Checks that no server with the parameters or a piece may evict keys of a filter. A missing piece is noticed, but if
 * all else is evicted too, the filter looks new, and the next client makes it again, empty. Warns if a server does not
 * tell, as some users and services may not ask.
 *
 * @param expires whether the keys expire
 * @throws RedisFilterError EVICTION
 */
export async function requireKept(
  { runner, store, readOnly }: Connection,
  placed: Pick<Location, 'groups'>,
  expires: boolean,
): Promise<void> {
  const keys = [store.name, ...listKeys(store.name, placed.groups)];
  const masters = new Map(keys.map((key) => [runner.adapter.master(key), key]));
  const policyOf = async (key: string): Promise<string> =>
    String(await runner.run(POLICY, [key], [], { readOnly, latest: true }));
  const policies = await Promise.all(Array.from(masters.values(), policyOf));
  const evicts = expires ? /^(allkeys|volatile)-/ : /^allkeys-/;
  const wanted = expires ? 'noeviction, for its keys expire' : 'noeviction or volatile-…';
  const policy = policies.find((each) => evicts.test(each));
  if (policy === undefined) {
    if (policies.includes('?')) warnOfEviction(store.name, wanted);
    return;
  }
  throw new RedisFilterError('EVICTION', `maxmemory-policy of "${store.name}" must be ${wanted}, got ${policy}`);
}
