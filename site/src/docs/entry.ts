/** A section of the documentation, as the search reads it. */
export interface Entry {
  /** The path below the folder of the site. */
  readonly url: string;
  /** The title of its page. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}
