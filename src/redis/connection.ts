import { mustBe } from '../validate.ts';
import { adapterOf, type RedisClient } from './adapter.ts';
import { Runner } from './runner.ts';
import type { BatchSettings } from './settings.ts';
import { Store } from './store.ts';

/** Returns the name if it can be the name of a filter. */
function requireName(name: string): string {
  const wanted = 'a string of 1 character or more, without braces';
  if (typeof name !== 'string') throw new TypeError(mustBe('name', wanted, name));
  // Redis Cluster reads the first tag in a key, so the pieces could not be spread by theirs.
  if (name === '' || /[{}]/.test(name)) throw new RangeError(mustBe('name', wanted, name));
  return name;
}

/** How a filter reaches Redis. */
export class Connection {
  readonly settings: BatchSettings;
  readonly runner: Runner;
  readonly store: Store;
  /** Whether replicas may answer what changes nothing. */
  readonly readOnly: boolean;

  constructor(client: RedisClient, name: string, settings: BatchSettings) {
    this.settings = settings;
    this.readOnly = settings.readFrom === 'replica';
    this.runner = new Runner(adapterOf(client), settings.timeout);
    this.store = new Store(requireName(name), this.runner, this.readOnly);
    if (settings.wait) this.runner.requireWait();
  }
}
