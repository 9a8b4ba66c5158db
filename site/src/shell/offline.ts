// The page that the service worker shows in the place of one that it could not get. Its fragment names that page.

import { element, make } from './dom.ts';
import { missingPage } from './missing-page.ts';

const missing = missingPage(location.href);
if (missing !== undefined) {
  element('missing', HTMLElement).append(make('a', { href: missing.href }, `Try ${missing.path} again`), '.');
}
