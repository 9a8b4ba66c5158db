// What the page and its Worker tell each other.

/** What to do with the lines of a text. */
export type Mode = 'keep' | 'drop' | 'once';

/** What lines are looked up in: a text with a line per key, or a saved filter. */
export interface List {
  readonly form: 'lines' | 'filter';
  readonly file: Blob;
}

export interface Job {
  readonly mode: Mode;
  readonly text: Blob;
  /** Not needed for each line once. */
  readonly list: List | undefined;
  /** The error rate of a filter that is made. */
  readonly errorRate: number;
  /** A file that takes the lines. Without one, they become a Blob. */
  readonly destination: FileSystemFileHandle | undefined;
}

/** The two inputs of the page, to say which one an error is about. */
export type Source = 'text' | 'list';

/** What is known about a filter. */
export interface FilterFacts {
  readonly kind: string;
  readonly engine: 'wasm' | 'js';
  readonly capacity: number;
  readonly errorRate: number;
  readonly cellName: string;
  readonly cellCount: number;
  readonly hashes: number;
  readonly seed: number;
  readonly byteLength: number;
  readonly fillRatio: number;
  readonly estimatedCount: number;
  readonly estimatedErrorRate: number;
}

/** How far a job is. */
export interface Progress {
  readonly phase: 'build' | 'again' | 'filter';
  /** The bytes done, of those that both phases will read. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** The lines done in both phases. */
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
  /** Different lines that are expected to be lost, if each line was to come once. */
  readonly lost: number;
  readonly filter: FilterFacts;
  /** The lines that were kept, unless they went to a file. */
  readonly blob: Blob | undefined;
}

export type Request =
  | { readonly type: 'run'; readonly job: Job }
  | { readonly type: 'inspect'; readonly file: Blob }
  | { readonly type: 'save' }
  | { readonly type: 'cancel' };

export type Reply =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'preview'; readonly lines: readonly string[] }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'inspected'; readonly filter: FilterFacts }
  | { readonly type: 'saved'; readonly blob: Blob }
  | { readonly type: 'canceled' }
  /** `source` tells which input is to blame, if one is. */
  | { readonly type: 'failed'; readonly message: string; readonly source: Source | undefined };
