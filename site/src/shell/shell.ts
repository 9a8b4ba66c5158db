// Runs on every page: the search, and what keeps the site for offline use once the page itself has been loaded.

import { enableSearch } from '../search/field.ts';
import { element, siteRoot } from './dom.ts';

async function keepForOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await navigator.serviceWorker.register(`${siteRoot()}service-worker.js`);
  await navigator.serviceWorker.ready;
  element('offline', HTMLElement).textContent =
    'Kept for offline use; of the API reference and the npm names, what was opened.';
}

enableSearch();

// Where a page cannot be kept, as in some private windows, it still works online.
const keep = (): void => void keepForOffline().catch(() => {});
if (import.meta.env.PROD) {
  if (document.readyState === 'complete') keep();
  else addEventListener('load', keep);
}
