// A local web site to crawl: many pages full of links to one another, with each address spelled in several ways.

import { createServer, type Server } from 'node:http';
import { seededRandom } from '../names.ts';

/** Spellings of one address: a relative path, a fragment, a campaign parameter, capitals and the default port. */
const spellings: readonly ((page: number) => string)[] = [
  (page) => `/page/${page}`,
  (page) => `../page/./${page}`,
  (page) => `/page/${page}#comments`,
  (page) => `/page/${page}?utm_source=feed`,
  (page) => `HTTP://Site.Example:80/page/${page}`,
];

/** Not the server's own origin, because its port changes: so every crawl has the same URLs. */
const ORIGIN = 'http://site.example';
const LINKS_A_PAGE = 30;

export interface Site {
  /** Where the server is on this machine. */
  readonly address: string;
  /** The address of the first page, from which every other can be reached. */
  readonly start: string;
  /** The address of a page, in its normal spelling. */
  urlOf(page: number): string;
  /** How often each page was fetched. */
  readonly requests: Uint32Array;
  close(): void;
}

function urlOf(page: number): string {
  return `${ORIGIN}/page/${page}`;
}

/** Fetches the HTML of a page from the server at an address of this machine. */
export async function fetchPage(address: string, url: string): Promise<string> {
  const response = await fetch(url.replace(ORIGIN, address));
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

/** The absolute URLs in the HTML of a page, of any kind. */
export function linksIn(html: string, url: string): string[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, url).href);
}

function linksOf(page: number, pages: number): number[] {
  const random = seededRandom(page);
  // Two links form a tree of all pages. The others favor the early pages, like links to the popular pages of a site.
  const links = [2 * page + 1, 2 * page + 2].filter((child) => child < pages);
  while (links.length < LINKS_A_PAGE) links.push(Math.floor(pages * random() ** 2));
  return links;
}

function html(page: number, pages: number): string {
  const anchors = linksOf(page, pages).map((link, i) => {
    const spell = spellings[(page + i) % spellings.length];
    return `<a href="${spell?.(link)}">${link}</a>`;
  });
  return `<!doctype html><title>Page ${page}</title>\n${anchors.join('\n')}\n`;
}

export async function openSite(pages: number): Promise<Site> {
  const requests = new Uint32Array(pages);
  const server: Server = createServer(({ url = '' }, response) => {
    const page = Number(/^\/page\/(\d+)$/.exec(url)?.[1] ?? pages);
    if (page >= pages) {
      response.writeHead(404).end();
      return;
    }
    requests[page] = (requests[page] ?? 0) + 1;
    response.setHeader('content-type', 'text/html').end(html(page, pages));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    start: urlOf(0),
    urlOf,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
