// Serves the built site below a path, as a host of static files would.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serve } from '../../test/runtimes/browsers/server.ts';
import { NOT_FOUND, rootOf } from '../tools/head.ts';
import { filesIn } from '../tools/stamp.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** The site must work below any path, but for the page of missing pages: it knows that of the site, if that is known. */
const BASE = rootOf(NOT_FOUND).slice(1) || 'some/path/';

export interface SiteServer {
  readonly url: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  close(): void;
}

/** @param policy a Content-Security-Policy for every page and script */
export async function serveSite(policy?: string): Promise<SiteServer> {
  const files = new Map(filesIn(dist).map((name) => [name, readFileSync(`${dist}/${name}`)]));
  const served = new Map(Array.from(files, ([name, contents]) => [`${BASE}${name}`, contents]));
  const server = await serve(served, {}, policy === undefined ? {} : { 'Content-Security-Policy': policy });
  return { url: `${server.url}/${BASE}`, files, close: () => server.close() };
}
