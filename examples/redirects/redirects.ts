// Redirects by the hundred thousand in front of a site: a small map tells where in a file a path has its target, and
// nothing is read for other paths. In Next.js this is proxy.ts (or middleware.ts, also in the edge runtime):
//
//   const redirect = redirector(saved, async (from, to) => {
//     const response = await fetch(`${FILES}/redirects.tsv`, { headers: { range: `bytes=${from}-${to - 1}` } });
//     if (response.status !== 206) throw new Error(`the redirects could not be read: HTTP ${response.status}`);
//     return new Uint8Array(await response.arrayBuffer());
//   });
//
//   export const proxy = (request: Request) => redirect(request.url);
//
// `pack` makes both files when the site is built.

import { FuseMap } from 'bloomery/fuse-map';
import { FuseMapLookup } from 'bloomery/lookup';

/** What is read of the table at once, in bytes. No line goes over the end of such a page. */
const PAGE = 2048;
const ANY_SITE = 'https://example.org';

export interface Packed {
  /** What every request asks: 3 or 4 bytes for each redirect. */
  readonly places: Uint8Array<ArrayBuffer>;
  /** The table, a path, a tab and its target on each line. */
  readonly table: Uint8Array<ArrayBuffer>;
}

/** Makes the files of a site. For 1 other path in 512, a page of the table is read in vain. */
export function pack(redirects: ReadonlyMap<string, string>): Packed {
  const encoder = new TextEncoder();
  const paths: string[] = [];
  const pages: number[] = [];
  const lines: [line: Uint8Array, at: number][] = [];
  let size = 0;
  for (const [path, target] of redirects) {
    // As requests have it: percent-encoded.
    const { pathname, href } = new URL(path, ANY_SITE);
    if (href !== ANY_SITE + pathname) throw new RangeError(`the redirect of ${path} is not for a path alone`);
    const line = encoder.encode(`${pathname}\t${target}\n`);
    if (line.length > PAGE) throw new RangeError(`the redirect of ${path} takes more than ${PAGE} bytes`);
    if (/[\t\n]/.test(path + target)) throw new RangeError(`the redirect of ${path} has a tab or a line feed`);
    if ((size % PAGE) + line.length > PAGE) size += PAGE - (size % PAGE);
    paths.push(pathname);
    pages.push(Math.floor(size / PAGE));
    lines.push([line, size]);
    size += line.length;
  }
  const table = new Uint8Array(size);
  for (const [line, at] of lines) table.set(line, at);
  const map = FuseMap.from(paths, pages, { fingerprintBits: 9 });
  const places = map.toBytes();
  map.dispose();
  return { places, table };
}

/**
 * Makes the function to call for every request: it gives the redirect, or undefined if the request goes on.
 *
 * @param saved the places of `pack`
 * @param read reads the bytes of the table from a place up to another, or fewer at its end
 */
export function redirector(
  saved: Uint8Array,
  read: (from: number, to: number) => Promise<Uint8Array>,
): (url: string) => Promise<Response | undefined> {
  const places = FuseMapLookup.fromBytes(saved);
  const decoder = new TextDecoder();
  return async (url) => {
    const { pathname, search, origin } = new URL(url);
    const page = places.get(pathname);
    if (page === undefined) return undefined;
    const lines = `\n${decoder.decode(await read(page * PAGE, (page + 1) * PAGE))}`;
    // The line has the path too, because a path without a redirect may get a page.
    const start = lines.indexOf(`\n${pathname}\t`);
    if (start < 0) return undefined;
    const target = new URL(lines.slice(start + pathname.length + 2, lines.indexOf('\n', start + 1)), origin);
    target.search ||= search;
    return Response.redirect(target, 308);
  };
}
