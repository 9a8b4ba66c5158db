import type { DrivenBrowser } from '../../test/runtimes/browsers/browser.ts';
import type { Files } from './files.ts';
import type { FilterPage } from './filter-page.ts';
import type { SitePage } from './page.ts';
import type { SiteServer } from './server.ts';

export interface World extends Files {
  readonly browser: DrivenBrowser;
  readonly server: SiteServer;
  readonly page: SitePage;
  readonly filterPage: FilterPage;
  /** The folder into which the browser downloads; undefined if it cannot be told. */
  readonly downloads: string | undefined;
}

/** Checks by their names. A string that one returns is printed with its name. */
export type Checks = Readonly<Record<string, (world: World) => unknown>>;

/** Checks of what differs between browsers, of what does not, and of what one browser checks in another way. */
export interface Group {
  readonly inEach?: Checks;
  readonly inChromium?: Checks;
  readonly inOthers?: Checks;
}
