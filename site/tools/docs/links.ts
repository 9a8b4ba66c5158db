// Resolves the links and pictures of a document.

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Document, readSource } from './documents.ts';
import type { Picture, Resolver } from './markdown.ts';

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

function pictureAt(source: string): Omit<Picture, 'url'> {
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
      if (/^[a-z]+:/.test(href)) return href;
      const [path = '', anchor = ''] = decodeURI(href).split('#');
      const target = path === '' ? source : targetOf(path);
      const known = documents.find((each) => each.source === target);
      if (known === undefined) {
        if (!existsSync(posix.join(repository, target)))
          throw new Error(`${source} links to ${href}, which is nowhere`);
        return sources === undefined ? undefined : sources + target;
      }
      references.push({ from: source, page: known.page, anchor });
      const hash = anchor === '' ? '' : `#${anchor}`;
      return known.page === page && hash !== '' ? hash : pathBetween(page, known.page) + hash;
    },
    picture(href) {
      const target = targetOf(href);
      if (OF_THE_SITE.test(target)) return undefined;
      return { ...pictureAt(target), url: pathBetween(`site/${page}`, target) };
    },
  };
}
