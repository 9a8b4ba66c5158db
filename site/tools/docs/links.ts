// Resolves the links and pictures of a document.

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { type Document, readSource } from './documents.ts';
import type { Resolver } from './markdown.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A link from one page to an anchor of another. */
export interface Reference {
  readonly from: string;
  readonly page: string;
  readonly anchor: string;
}

/** The path from the folder of one page to another page. */
export function pathBetween(page: string, target: string): string {
  return posix.relative(posix.dirname(page), target);
}

const known = new Map<string, ReadonlyMap<string, string>>();

/** The titles of a document, by anchor; that of the whole by an empty anchor. */
function titlesOf(document: Document): ReadonlyMap<string, string> {
  const titles = known.get(document.source) ?? readTitles(document);
  known.set(document.source, titles);
  return titles;
}

function readTitles({ source, label }: Document): ReadonlyMap<string, string> {
  const slugger = new GithubSlugger();
  const prose = readSource(source).replaceAll(/^```.*?^```$/gms, '');
  const headings = Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading.replaceAll('`', ''));
  const whole = label ?? headings[0] ?? source;
  return new Map([['', whole], ...headings.map((heading) => [slugger.slug(heading), heading] as const)]);
}

function sizeOfPicture(source: string) {
  const [, width, height] = /<svg[^>]* viewBox="0 0 (\d+) (\d+)"/.exec(readSource(source)) ?? [];
  if (width === undefined) throw new Error(`${source} is no SVG file with a viewBox`);
  return { width: Number(width), height: Number(height) };
}

/** Pictures of the site itself, which only readers elsewhere need. */
const OF_THE_SITE = /^docs\/site-[^/]*\.png$/;

/**
 * @param sources the URL below which source files can be read, if there is one
 * @param references receives each link to a page of the site
 */
export function resolverFor(
  { source, page }: Document,
  documents: readonly Document[],
  sources: string | undefined,
  references: Reference[],
): Resolver {
  const targetOf = (href: string): string => posix.join(posix.dirname(source), href);
  return {
    link(href) {
      if (/^[a-z]+:/.test(href)) return { url: href };
      const [path = '', anchor = ''] = decodeURI(href).split('#');
      const target = path === '' ? source : targetOf(path);
      const found = documents.find((each) => each.source === target);
      if (found === undefined) {
        if (!existsSync(posix.join(repository, target)))
          throw new Error(`${source} links to ${href}, which is nowhere`);
        return sources === undefined ? undefined : { url: sources + target };
      }
      references.push({ from: source, page: found.page, anchor });
      const hash = anchor === '' ? '' : `#${anchor}`;
      const url = found.page === page && hash !== '' ? hash : pathBetween(page, found.page) + hash;
      const title = titlesOf(found).get(anchor);
      return title === undefined ? { url } : { url, title };
    },
    picture(href) {
      const target = targetOf(href);
      if (OF_THE_SITE.test(target)) return undefined;
      return { ...sizeOfPicture(target), url: pathBetween(`site/${page}`, target) };
    },
  };
}
