// Was this password leaked? A page that asks a list of any size on a server of static files: kilobytes an answer, and no
// code on the server. The list is a filter of SHA-1 digests, as the downloads of Have I Been Pwned have them:
//
//   bloomery build pwned.txt --field 1 --delimiter : --kind blocked --error-rate 0.001 -o leaked.bloom
//
//   const list = await openList('/leaked.bloom');                       // in the page
//   if (await isLeaked(list, password)) …                               // 1 other password in 1000 looks leaked, too

import { BlockedBloomFilter } from 'bloomery';
import { type OpenedFilter, openFilter, urlSource } from 'bloomery/open';

/**
 * Opens the list. With a cache, pages of 4 KiB are read, 128 blocks each, so that the server sees which of these a password
 * belongs to, and not which block of 32 bytes: with 10^9 passwords in the list, some 2000 of them have one page.
 */
export function openList(url: string): Promise<OpenedFilter> {
  return openFilter([BlockedBloomFilter], urlSource(url), { cacheBytes: 2 ** 20 });
}

/** The digest of a password as the list has it: 40 digits, upper case. */
export async function digestOf(password: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(password));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

/** Whether a password is in the list. False is certain. */
export async function isLeaked(list: OpenedFilter, password: string, signal?: AbortSignal): Promise<boolean> {
  return list.has(await digestOf(password), { signal });
}
