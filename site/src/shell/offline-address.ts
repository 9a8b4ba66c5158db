// Only the service worker imports this: what a page imports too would become a file of its own, which a service worker
// cannot import.

const OFFLINE_PAGE = 'offline.html';

/**
 * The address to show in the place of a page that could not be loaded. `missingPage` reads it.
 *
 * @param scope the address of the site's folder, with a slash at its end
 */
export function offlinePageFor(url: string, scope: string): string {
  return `${scope}${OFFLINE_PAGE}#${encodeURIComponent(url.slice(scope.length))}`;
}
