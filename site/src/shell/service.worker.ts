// The service worker: keeps the files of the site, so that it works offline. Each version of the site has a cache of
// its own, and takes over once no page of the version before is open.

import { offlinePageFor } from './offline-address.ts';

declare const self: ServiceWorkerGlobalScope;
/** The files of the site, and a hash of all of them: see tools/stamp.ts. */
declare const FILES: readonly string[];
declare const VERSION: string;

const PREFIX = 'bloomery-site-';
const NAME = `${PREFIX}${VERSION}`;

/** A response that may answer a navigation: browsers refuse one that was redirected, as some hosts redirect pages. */
function plain(response: Response): Response {
  return response.redirected ? new Response(response.body, { headers: response.headers }) : response;
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(NAME);
  const keep = async (path: string): Promise<void> => {
    const response = await fetch(path, { cache: 'no-cache' });
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    await cache.put(path, plain(response));
  };
  await Promise.all(['./', ...FILES].map(keep));
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)),
  );
  // The page that installed this worker may already be loading files to keep.
  await self.clients.claim();
}

async function answer(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const cache = await caches.open(NAME);
  const kept = await cache.match(request, { ignoreSearch: request.mode === 'navigate' });
  if (kept) return kept;
  const response = await fetch(request).catch((error: unknown) => {
    if (request.mode !== 'navigate') throw error;
    // Not the page's contents at this address, because their links are relative.
    return Response.redirect(offlinePageFor(request.url, self.registration.scope));
  });
  // Large files, such as the filter of all names, and pages of the API reference are kept once they are used. The page
  // reads them while they arrive.
  if (response.ok && /\/(?:assets|docs\/api)\//.test(request.url)) {
    event.waitUntil(cache.put(request, plain(response.clone())));
  }
  return response;
}

self.addEventListener('install', (event) => event.waitUntil(keepAll()));
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
self.addEventListener('fetch', (event) => {
  const { method, url, headers } = event.request;
  // A range is a part of a file, which no cache may keep.
  const isWhole = method === 'GET' && !headers.has('range');
  if (isWhole && url.startsWith(self.registration.scope)) event.respondWith(answer(event));
});
