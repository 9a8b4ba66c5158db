// The list of passwords. Only the bytes that an answer needs are read from the server.

import { type OpenedFilter, openFilter, urlSource } from 'bloomery/open';
import { chooseEngine } from '../engine.ts';

/** `openFilter` reads and keeps pages of this many bytes. */
export const PAGE_BYTES = 4096;
const CACHE_BYTES = 2 ** 20;

/** What a request has read. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Opens the list: reads its head.
 *
 * @param onRead called with the range that each request has read, as the server names it
 * @throws SourceError if the list cannot be read
 */
export async function openList(url: string, onRead: (range: Range) => void): Promise<OpenedFilter> {
  const request = async (address: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(address, init);
    const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(response.headers.get('content-range') ?? '') ?? [];
    if (first !== undefined) onRead({ first: Number(first), last: Number(last) });
    return response;
  };
  const [{ BlockedBloomFilter }, source] = await Promise.all([chooseEngine(), urlSource(url, { fetch: request })]);
  return openFilter([BlockedBloomFilter], source, { cacheBytes: CACHE_BYTES });
}
