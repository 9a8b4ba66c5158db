// A blocklist of all domains in the package disposable-email-domains: its size, and its answers.
//
//   npm run example examples/disposable-mail/measure.ts                measures
//   npm run example examples/disposable-mail/measure.ts ADDRESS...     checks addresses

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { heading, integer, must, row, size } from '../report.ts';
import { blockedDomain, blocklistOf, domainOf } from './disposable-mail.ts';

const SAMPLE = [
  'ada@gmail.com',
  'grace@mailinator.com',
  'alan@a.b.mailinator.com',
  'edsger@mailinator.com.example.org',
  'barbara@YOPMAIL.com',
  'donald@cs.stanford.edu',
];

const require = createRequire(import.meta.url);
const exactDomains: readonly string[] = require('disposable-email-domains');
const wildcards: readonly string[] = require('disposable-email-domains/wildcard.json');
const domains = [...exactDomains, ...wildcards];
const saved = blocklistOf(domains).toBytes();
/** Loaded from the saved bytes, as a browser would load it. */
const blocklist = BloomFilter.fromBytes(saved);

function isBlocked(domain: string): boolean {
  return blockedDomain(blocklist, domain) !== undefined;
}

function check(addresses: readonly string[]): void {
  const width = Math.max(...addresses.map((address) => address.length));
  for (const address of addresses) {
    const domain = blockedDomain(blocklist, address);
    console.log(`  ${address.padEnd(width)}  ${domain === undefined ? 'welcome' : `disposable (${domain})`}`);
  }
}

/** Domains of mail providers that are neither in the list nor below a domain in it. */
function otherProviders(): string[] {
  const exact = new Set(domains.map(domainOf));
  const providers: readonly string[] = require('email-providers/all.json');
  return providers.filter((domain) => {
    const labels = domainOf(domain).split('.');
    return !labels.some((_, i) => exact.has(labels.slice(i).join('.')));
  });
}

function measure(): void {
  const json = ['index.json', 'wildcard.json'].map((name) =>
    readFileSync(require.resolve(`disposable-email-domains/${name}`)),
  );
  const sizeOf = (files: readonly Uint8Array[]): number => files.reduce((sum, { length }) => sum + length, 0);
  const gzipped = sizeOf(json.map((file) => gzipSync(file)));
  const others = otherProviders();
  const refused = others.filter(isBlocked);
  const missed = domains.filter((domain) => !isBlocked(domain));
  const missedBelow = domains.filter((domain) => !isBlocked(`a.b.${domain}`));

  console.log(`A blocklist of ${integer(domains.length)} disposable mail domains\n`);
  check(SAMPLE);
  heading('Size');
  row('the filter, as a file', size(saved.length), `${size(gzipSync(saved).length)} gzipped`);
  row("the package's JSON", size(sizeOf(json)), `${size(gzipped)} gzipped`);
  heading('Answers');
  row('disposable domains', integer(domains.length), `${missed.length} missed, ${missedBelow.length} of a.b.DOMAIN`);
  row('domains of other mail providers', integer(others.length), `${refused.length} refused: promised 1 in a million`);
  must(missed.length + missedBelow.length === 0, 'every disposable domain is blocked, with all its subdomains');
}

const addresses = process.argv.slice(2);
const wrong = addresses.find((address) => !/.@./.test(address) || domainOf(address) === '');
if (wrong !== undefined) {
  console.error(`Not a mail address: '${wrong}'. Arguments must be mail addresses; without any, the example measures.`);
  process.exitCode = 2;
} else if (addresses.length > 0) check(addresses);
else measure();
