// What search engines read. A sitemap consists of whole addresses, so there is one only where that of the site is known.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, isListed } from './head.ts';
import { filesIn } from './stamp.ts';

/** @param pages the paths of the pages, with `index.html` for the site's own address */
export function sitemapOf(pages: readonly string[], site: string): string {
  const rows = pages.map((page) => `<url><loc>${addressOf(page, site)}</loc></url>\n`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${rows.join('')}</urlset>\n`;
}

export function writeRobots(folder: string, site: string | undefined): void {
  const sitemap = site === undefined ? '' : `Sitemap: ${site}sitemap.xml\n`;
  writeFileSync(join(folder, 'robots.txt'), `User-agent: *\nAllow: /\n${sitemap}`);
  if (site === undefined) return;
  const isPage = (name: string): boolean =>
    name.endsWith('.html') && isListed(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'sitemap.xml'), sitemapOf(filesIn(folder).filter(isPage), site));
}
