// Tells the service worker which files the site has.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CARD, NOT_FOUND } from './head.ts';

const SERVICE_WORKER = 'service-worker.js';

/** Larger files, and pages of the API reference, are kept for offline use only after a page has asked for them. */
const LARGEST = 1_000_000;
const REFERENCE = 'docs/api/';
/** The sections that the search needs, which are kept however large they are. */
const SEARCH = 'assets/search-';
/** What only servers, search engines and other sites show. */
const OTHERS: readonly string[] = [CARD, NOT_FOUND, 'robots.txt', 'sitemap.xml'];

/** The paths of all files in a folder and below, with `/` between their parts. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort();
}

/** Writes the list of files, and a version that changes with any of them, to the beginning of the service worker. */
export function stampServiceWorker(folder: string): void {
  const names = filesIn(folder).filter((name) => name !== SERVICE_WORKER);
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  const version = hash.digest('hex').slice(0, 16);
  const isKept = (name: string): boolean =>
    name.startsWith(SEARCH) || (!name.startsWith(REFERENCE) && statSync(join(folder, name)).size <= LARGEST);
  const files = names.filter((name) => !OTHERS.includes(name) && isKept(name));
  const path = join(folder, SERVICE_WORKER);
  const script = readFileSync(path, 'utf8');
  writeFileSync(path, `const FILES=${JSON.stringify(files)},VERSION=${JSON.stringify(version)};\n${script}`);
}
