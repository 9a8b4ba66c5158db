/** A section of the documentation, as the search gets it. */
export interface Entry {
  /** Below the folder of the site. */
  readonly url: string;
  /** The title of its page. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}
