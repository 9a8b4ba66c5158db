/** The parts of the documentation, the first thing to read first. */
export type Part = 'use' | 'background' | 'reference';

export interface Place {
  /** The path below the folder of the site. */
  readonly url: string;
  /** The title of its page. */
  readonly page: string;
}

/** A section of the documentation, as the search reads it. */
export interface Entry {
  readonly part: Part;
  readonly heading: string;
  readonly text: string;
  /** Other words in which readers ask for it. */
  readonly words?: string;
  /** Where it stands: a member of several classes stands on the page of each. */
  readonly places: readonly [Place, ...Place[]];
}
