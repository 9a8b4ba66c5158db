// Redirects by the hundred thousand in front of a site: a small filter answers for all other paths, and the table is
// read only for those that may be in it. In Next.js this is proxy.ts (or middleware.ts, also in the edge runtime):
//
//   const redirect = redirector(saved, PARTS, async (part) => {
//     const response = await fetch(`${FILES}/redirects-${part}.json`);
//     return response.json();
//   });
//
//   export const proxy = (request: Request) => redirect(request.url);
//
// `pack` makes the files when the site is built.

import { BinaryFuseFilter } from 'bloomery/fuse';

/** A part of the table: targets by path. */
export type Part = Readonly<Record<string, string>>;

/** So many redirects are in a part of the table, on average. */
const PART_SIZE = 200;

export interface Packed {
  /** What every request asks: 9 bits for each redirect. */
  readonly filter: Uint8Array<ArrayBuffer>;
  /** The table, in parts. */
  readonly parts: readonly Part[];
}

/** Makes the files of a site. A false positive is a part that is read in vain: for 1 other path in 500. */
export function pack(redirects: ReadonlyMap<string, string>): Packed {
  const filter = BinaryFuseFilter.from(redirects.keys(), { errorRate: 0.002 });
  const parts = Array.from({ length: Math.ceil(redirects.size / PART_SIZE) }, (): Record<string, string> => ({}));
  for (const [path, target] of redirects) (parts[partOf(path, parts.length)] as Record<string, string>)[path] = target;
  const saved = filter.toBytes();
  filter.dispose();
  return { filter: saved, parts };
}

/**
 * Makes the function to call for every request: it gives the redirect, or undefined if the request goes on.
 *
 * @param saved the filter of `pack`
 * @param count the number of parts
 * @param read reads a part of the table
 */
export function redirector(
  saved: Uint8Array,
  count: number,
  read: (part: number) => Promise<Part>,
): (url: string) => Promise<Response | undefined> {
  const filter = BinaryFuseFilter.fromBytes(saved);
  return async (url) => {
    const { pathname, search, origin } = new URL(url);
    if (!filter.has(pathname)) return undefined;
    const part = await read(partOf(pathname, count));
    if (!Object.hasOwn(part, pathname)) return undefined;
    const target = new URL(part[pathname] as string, origin);
    target.search ||= search;
    return Response.redirect(target, 308);
  };
}

/** The part that a path is in: FNV-1a of its UTF-16 units. */
function partOf(path: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}
