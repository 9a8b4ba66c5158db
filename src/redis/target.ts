import type { BlockedBloomFilter } from '../kinds/wasm.ts';
import { lost } from './error.ts';
import { Layout } from './layout.ts';
import { Mirror } from './mirror.ts';
import { requireSuccessor, type StoredParameters } from './parameters.ts';
import type { Store } from './store.ts';

/** Where the keys of a filter are sent. It may change while they are on their way. */
export interface SendTarget {
  readonly seed: number;
  readonly layout: Layout;
  /** The copy in this process, if there is one. */
  readonly mirror: Mirror | undefined;
  /** Returns the flags in an answer. If there are fewer than keys, the other keys must be sent again. */
  flagsOf(answer: string): string | Promise<string>;
  /**
   * Called before keys are sent again because a piece of `layout` was missing.
   *
   * @throws RedisFilterError if the pieces are lost
   */
  renew(layout: Layout): Promise<void>;
}

/** The pieces of a filter of a fixed size. Others take their place when a client clears or replaces the filter. */
export class FixedTarget implements SendTarget {
  readonly store: Store;
  /** The class of copies in memory. */
  readonly Local: typeof BlockedBloomFilter;
  stored: StoredParameters;
  layout: Layout;
  mirror: Mirror | undefined;
  #renewal: Promise<void> | undefined;

  constructor(store: Store, stored: StoredParameters, Local: typeof BlockedBloomFilter, isMirrored: boolean) {
    this.store = store;
    this.Local = Local;
    this.stored = stored;
    this.layout = new Layout(store.name, stored);
    if (isMirrored) this.mirror = new Mirror(Local, stored.bits, stored.seed);
  }

  get seed(): number {
    return this.stored.seed;
  }

  flagsOf(answer: string): string {
    return answer;
  }

  /**
   * Reads the parameters again, and switches to the pieces that they describe.
   *
   * @throws RedisFilterError LOST if the filter was not cleared or replaced; ABSENT if it was deleted, even if another
   *   has been made since
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
    if (found.id === stored.id) throw lost(store.name);
    requireSuccessor(store.name, found, stored);
    this.use(found);
  }

  /** Switches to the pieces of other parameters. A mirror starts empty. */
  use(stored: StoredParameters): void {
    // First, because there may be no memory: with the old copy, keys of the old filter would look present in the new one.
    const mirror = this.mirror && new Mirror(this.Local, stored.bits, stored.seed);
    this.stored = stored;
    this.layout = new Layout(this.store.name, stored);
    this.mirror = mirror;
  }
}
