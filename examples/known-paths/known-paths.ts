// Pages in Workers KV, without reads for paths that do not exist: each read costs money, and scanners ask for nothing
// else. worker.ts is the Worker.
//
//   await env.PAGES.put(FILTER, pack(paths));     // when pages are published, after their own keys

import { BinaryFuseFilter } from 'bloomery/fuse';

/** The key of the filter in KV. */
export const FILTER = 'known-paths.blmy';
/** A new filter is read after so many milliseconds. Until then, a new page is not found. */
const LIFETIME = 60_000;

/** The part of a KV namespace that is used. */
export interface Pages {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>;
  get(key: string, type: 'stream'): Promise<ReadableStream | null>;
}

/** The file that the Worker loads. A false positive is a read in vain: for 1 unknown path in 1000. */
export function pack(paths: Iterable<string>): Uint8Array<ArrayBuffer> {
  const filter = BinaryFuseFilter.from(paths, { errorRate: 0.001 });
  const saved = filter.toBytes();
  filter.dispose();
  return saved;
}

/**
 * One for all requests that an isolate serves. They share the filter and not its promise: if the request that loads it is
 * canceled, others that wait for it may wait forever.
 */
let known: BinaryFuseFilter | undefined;
/** When it is loaded again. */
let until = 0;

async function load(pages: Pages): Promise<BinaryFuseFilter | undefined> {
  const saved = await pages.get(FILTER, 'arrayBuffer');
  return saved === null ? undefined : BinaryFuseFilter.fromBytes(saved);
}

/** The filter; undefined while another request loads it, or if that fails: then KV answers. */
async function knownPaths(pages: Pages): Promise<BinaryFuseFilter | undefined> {
  const now = Date.now();
  if (now <= until) return known;
  until = now + LIFETIME;
  known = undefined;
  try {
    known = await load(pages);
  } catch {
    // The next request tries again.
    until = 0;
  }
  return known;
}

/** Answers a request for a page. */
export async function answer(request: Request, pages: Pages): Promise<Response> {
  const { pathname } = new URL(request.url);
  const filter = await knownPaths(pages);
  const missing = (): Response => new Response('Not found\n', { status: 404 });
  if (filter !== undefined && !filter.has(pathname)) return missing();
  const page = await pages.get(pathname, 'stream');
  return page === null ? missing() : new Response(page, { headers: { 'content-type': 'text/html' } });
}
