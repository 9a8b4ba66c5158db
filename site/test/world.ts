import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import type { Lists, WrongFiles } from './lists.ts';
import type { SiteServer } from './server.ts';

/** What checks have at hand. */
export interface World {
  readonly name: string;
  readonly browser: DrivenBrowser;
  readonly server: SiteServer;
  readonly lists: Lists;
  readonly wrong: WrongFiles;
  /** The folder into which the browser downloads; undefined if it cannot be told. */
  readonly downloads: string | undefined;
}
