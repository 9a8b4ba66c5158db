// The messages between the page and its Worker.

import type { Reading, Sameness } from './reading.ts';
import type { factsOf } from './saved-filter.ts';

/** What to do with the lines of a text: keep those in the list, drop those in the list, or keep each line once. */
export type Mode = 'keep' | 'drop' | 'once';

/** A text, and how it is read; a saved filter is not. */
export interface Input {
  readonly file: Blob;
  readonly reading: Reading | undefined;
}

export interface Job extends Sameness {
  readonly mode: Mode;
  readonly text: Input;
  /** What lines are looked up in. Undefined if each line is to come once. */
  readonly list: Input | undefined;
  /** The error rate of the filter, if one is made; 0 for an exact set, as long as it is not too large. */
  readonly errorRate: number;
  /** A file that takes the lines. Without one, they become a Blob. */
  readonly destination: FileSystemFileHandle | undefined;
}

/** The two inputs of the page. An error names the one that it is about. */
export type Source = 'text' | 'list';

/** What is known about a filter. */
export type FilterFacts = ReturnType<typeof factsOf>;

/** What Chromium tells, in GiB; other browsers tell nothing. */
const { deviceMemory = 4 } = (globalThis.navigator ?? {}) as { readonly deviceMemory?: number };

/**
 * The most memory that an exact set may take, in bytes: a quarter of what the device has, because a system ends a tab
 * that takes too much of it, and at most the 2 GiB that plain JavaScript can have. In WebAssembly, Chromium 156, Firefox
 * 153 and WebKitGTK 2.50 took 204 million lines before a set was full at 4.3 GB, and none ended the tab.
 */
export const MOST_SET_BYTES: number = 2 ** 28 * Math.min(8, deviceMemory);

/** Whether it is an exact set. */
export function isExact({ kind }: Pick<FilterFacts, 'kind'>): boolean {
  return kind === 'fingerprint-set';
}

/** The progress of a job. */
export interface Progress {
  readonly phase: 'build' | 'again' | 'filter';
  /** The bytes read, and all bytes to read, in both phases together. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** The lines read in both phases. */
  readonly lines: number;
  /** Lines of the text that were looked up, and those of them that were kept. */
  readonly read: number;
  readonly kept: number;
}

export interface Result {
  readonly read: number;
  readonly kept: number;
  /** The lines added to the filter before, if it was made of a list. */
  readonly added: number;
  readonly seconds: number;
  /** In the mode `once`, the expected number of different lines that were lost. */
  readonly lost: number;
  readonly filter: FilterFacts;
  /** What else there is to say: why there may be no matches, or why a filter was needed. */
  readonly hint: string | undefined;
  /** The lines that were kept, unless they went to a file. */
  readonly blob: Blob | undefined;
}

export type Request =
  | { readonly type: 'run'; readonly job: Job }
  | { readonly type: 'save' }
  | { readonly type: 'cancel' };

export type Reply =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'preview'; readonly lines: readonly string[] }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'saved'; readonly blob: Blob }
  | { readonly type: 'canceled' }
  /** `source` is the input that caused the error, if one did. */
  | { readonly type: 'failed'; readonly message: string; readonly source: Source | undefined };
