import type { Argument } from './adapter.ts';
import type { Layout } from './layout.ts';
import type { Mirror } from './mirror.ts';
import type { Script } from './script.ts';

/** What to do with keys: `note` adds them, and does not tell which were new. */
export type Verb = 'add' | 'note' | 'has';

/** Where Redis remembers the answer to a call. */
export interface Memory {
  readonly key: string;
  /** How long it remembers, in milliseconds, and 1 if it remembers also that nothing was new. */
  readonly args: readonly [life: string, always: string];
}

/** A script, its keys, and the arguments that follow the records. */
export interface Request {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
}

/** Where keys are sent, and how, which may change while they are on their way. */
export interface Place {
  readonly seed: number;
  readonly layout: Layout;
  /** What is known of the bits, if a copy is wanted. */
  readonly mirror: Mirror | undefined;
  /** What to send about keys in these pieces of `layout`. */
  request(verb: Verb, layout: Layout, pieces: readonly number[], memory: Memory | undefined): Request;
  /** Returns the flags in an answer: fewer than there are keys, if some of them must be sent again. */
  flagsIn(answer: string): string | Promise<string>;
  /**
   * Called before keys are sent again that did not find all pieces of `layout`.
   *
   * @throws RedisFilterError if the pieces are lost
   */
  renew(layout: Layout): Promise<void>;
}
