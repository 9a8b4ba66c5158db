// Loads the search. The sections are fetched when they are first needed, and indexed here: they are smaller than an
// index of them, and give the excerpts as well.

import url from 'virtual:search-data';
import { type Entry, type Search, searchOver } from './find.ts';

/** @throws Error if the sections cannot be loaded */
export async function loadSearch(): Promise<Search> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const entries: Entry[] = await response.json();
  return searchOver(entries);
}
