// What every driver of a browser gives. What pages find they post to the server themselves: a debugger protocol would
// evaluate code with other rights than a page has.

export interface Browser {
  /** The process of which all others of the browser descend. */
  readonly pid: number;
  /** The version as the browser itself tells it, by its protocol. */
  readonly version: string | undefined;
  /** Opens a page in the place of the one before. */
  open(url: string): Promise<void>;
  /** Chooses a file in the file input of the open page. */
  upload(path: string): Promise<void>;
  /** Ends all processes and removes the profile. */
  close(): Promise<void>;
}

export type Launch = () => Promise<Browser>;

/** How long a browser may take to start, to open a page, or to do another single thing. */
export const STEP_MS = 60_000;
