import { lost } from './error.ts';
import { Layout } from './layout.ts';
import { Mirror } from './mirror.ts';
import { requireAlike, type Stored } from './parameters.ts';
import type { Memory, Place, Request, Verb } from './place.ts';
import { ADD, ADD_ONCE, HAS } from './scripts.ts';
import type { Store } from './store.ts';

/** Where a filter's bits are now, which changes when another client clears or replaces it. */
export class Current implements Place {
  readonly store: Store;
  stored: Stored;
  layout: Layout;
  /** What is known of the bits, if a copy is wanted. */
  mirror: Mirror | undefined;
  #renewal: Promise<void> | undefined;

  constructor(store: Store, stored: Stored, isMirrored: boolean) {
    this.store = store;
    this.stored = stored;
    this.layout = new Layout(store.name, stored);
    if (isMirrored) this.mirror = new Mirror(stored.bits, stored.seed);
  }

  get seed(): number {
    return this.stored.seed;
  }

  request(verb: Verb, layout: Layout, pieces: readonly number[], memory: Memory | undefined): Request {
    const keys = pieces.map((piece) => layout.key(piece));
    if (memory) return { script: ADD_ONCE, keys: [...keys, memory.key], args: memory.args };
    return { script: verb === 'has' ? HAS : ADD, keys, args: [] };
  }

  flagsIn(answer: string): string {
    return answer;
  }

  /**
   * Finds the pieces again after one of `layout` was missing.
   *
   * @throws RedisFilterError if the filter was not cleared or replaced, so that keys are lost; or if it was deleted
   */
  async renew(layout: Layout): Promise<void> {
    if (layout !== this.layout) return;
    this.#renewal ??= this.#read().finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async #read(): Promise<void> {
    const { store, stored } = this;
    const found = await store.require();
    if (found.id === stored.id) {
      throw lost(store.name);
    }
    const ready = await store.prepare(found);
    requireAlike(store.name, ready, stored);
    this.use(ready);
  }

  /** Goes on with other pieces, of which nothing is known yet. */
  use(stored: Stored): void {
    this.stored = stored;
    this.layout = new Layout(this.store.name, stored);
    if (this.mirror) this.mirror = new Mirror(stored.bits, stored.seed);
  }
}
