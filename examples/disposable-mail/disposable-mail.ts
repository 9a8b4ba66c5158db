// Recognizes disposable mail addresses by a blocklist that is small enough for the browser.
//
//   writeFileSync('blocklist.bloom', blocklistOf(domains).toBytes());               // when the site is built
//
//   const response = await fetch('/blocklist.bloom');                               // in the page
//   const blocklist = BloomFilter.fromBytes(new Uint8Array(await response.arrayBuffer()));
//   if (blockedDomain(blocklist, input.value) !== undefined) …

import { BloomFilter } from 'bloomery';

/** A filter of these domains. A false positive is a customer refused: 1 other domain in a million. */
export function blocklistOf(domains: readonly string[]): BloomFilter {
  return BloomFilter.from(domains.map(domainOf), { errorRate: 1e-6 });
}

/** The blocked domain that an address belongs to, itself or as a subdomain; undefined if there is none. */
export function blockedDomain(blocklist: BloomFilter, address: string): string | undefined {
  const labels = domainOf(address).split('.');
  // Not the last label alone: a blocked top-level domain would be a mistake in the list.
  const parents = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
  return parents.find((domain) => blocklist.has(domain));
}

/** The domain of an address in one spelling: in lower case, in punycode, without a dot at its end. Empty if invalid. */
export function domainOf(address: string): string {
  const url = `https://${address.slice(address.lastIndexOf('@') + 1)}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}
