// What every driver of a browser offers. Pages of the conformance suite post their results to the server themselves,
// because a debugger protocol would evaluate code with other rights than a page has.

export interface Browser {
  /** The process that has started all others of the browser. */
  readonly pid: number;
  readonly version: string | undefined;
  /** Opens a page in the place of the one before. */
  open(url: string): Promise<void>;
  close(): Promise<void>;
}

/** A browser whose pages can also be looked at and used from outside. */
export interface DrivenBrowser extends Browser {
  /** Chooses a file in a file input of the open page: the one that a selector finds, or else the first. */
  upload(path: string, selector?: string): Promise<void>;
  /** Runs the body of an async function in the open page, and gives what it returns, which must be JSON. */
  evaluate<T>(body: string): Promise<T>;
  /** Presses a key, by its name in WebDriver and puppeteer, which agree on these, while another may be held down. */
  press(key: Key, held?: 'Control'): Promise<void>;
  /** Types text of ASCII characters, each of which is a key. */
  type(text: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Shows pages as on paper, in dark colors, or in the few that a reader has chosen for all. Only Chromium can. */
  emulate?(media: 'print' | 'forced colors' | 'dark' | 'none'): Promise<void>;
  screenshot(): Promise<Uint8Array>;
}

export type Key = 'Tab' | 'Enter' | 'ArrowDown' | 'Escape' | ' ' | 'k';

export interface LaunchOptions {
  /** Whether pages are asked for dark colors. Default: false. */
  readonly dark?: boolean;
  /** A folder into which downloads go without a question. Without it, they go wherever the browser likes. */
  readonly downloads?: string;
  /** Whether garbage is collected early, as on a machine with little memory. Only WebKit can be asked for it. */
  readonly smallHeap?: boolean;
}

export type Launch = (options?: LaunchOptions) => Promise<Browser>;
export type LaunchDriven = (options?: LaunchOptions) => Promise<DrivenBrowser>;

/** How long a browser may take to start, to open a page, or to do another single thing. */
export const STEP_MS = 60_000;
