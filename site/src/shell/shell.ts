// Runs on every page: shows the current page in the navigation, and keeps the site for offline use, once the page itself
// has been loaded.

import { element } from './dom.ts';

async function keepForOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const root = document.querySelector<HTMLMetaElement>('meta[name=bloomery-root]')?.content ?? '';
  await navigator.serviceWorker.register(`${root}service-worker.js`);
  await navigator.serviceWorker.ready;
  element('offline', HTMLElement).textContent =
    'Kept for offline use; of the API reference and the npm names, what was opened.';
}

/** On a narrow page the navigation scrolls. */
function showCurrent(): void {
  const current = document.querySelector<HTMLElement>('.site-header nav [aria-current]');
  const row = current?.closest('nav');
  if (!current || !row) return;
  const [{ left, width }, all] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += left + width / 2 - (all.left + all.width / 2);
}

showCurrent();

// Where a page cannot be kept, as in some private windows, it still works online.
const keep = (): void => void keepForOffline().catch(() => {});
if (import.meta.env.PROD) {
  if (document.readyState === 'complete') keep();
  else addEventListener('load', keep);
}
