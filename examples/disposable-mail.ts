// A blocklist of disposable mail domains, small enough to ship to the browser: a filter of all domains in the package
// disposable-email-domains. It mistakes one other domain in a million for one of them.
//
//   npm run example examples/disposable-mail.ts                     measures
//   npm run example examples/disposable-mail.ts ADDRESS...          checks addresses

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { heading, integer, must, row, size } from './report.ts';

const ERROR_RATE = 1e-6;
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
/** Normalized like the domains of addresses in `domainOf`. */
const domains = [...exactDomains, ...wildcards].map(domainToASCII);
const blocked = BloomFilter.from(domains, { errorRate: ERROR_RATE });

/** A domain and its parent domains: a.b.example.com, b.example.com, example.com. */
function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, i) => labels.slice(i).join('.'));
}

/** The domain of an address in lower case, and in punycode if it is not ASCII. */
function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1)).replace(/\.$/, '');
}

/** The first of a domain and its parents that is blocked; undefined if none is. */
function blockedBy(domain: string): string | undefined {
  return withParents(domain).find((each) => blocked.has(each));
}

function check(addresses: readonly string[]): void {
  const width = Math.max(...addresses.map((address) => address.length));
  for (const address of addresses) {
    const by = blockedBy(domainOf(address));
    console.log(`  ${address.padEnd(width)}  ${by === undefined ? 'welcome' : `disposable (${by})`}`);
  }
}

function measure(): void {
  const json = ['index.json', 'wildcard.json'].map((name) =>
    readFileSync(require.resolve(`disposable-email-domains/${name}`)),
  );
  const sizeOf = (files: readonly Uint8Array[]): number => files.reduce((sum, { length }) => sum + length, 0);
  const exact = new Set(domains);
  // The list of mail providers includes disposable ones; the others must be welcome.
  const providers: readonly string[] = require('email-providers/all.json');
  const others = providers.filter((domain) => !withParents(domain).some((each) => exact.has(each)));
  const refused = others.filter((domain) => blockedBy(domain) !== undefined);
  const missed = domains.filter((domain) => blockedBy(domain) === undefined);
  const missedBelow = domains.filter((domain) => blockedBy(`a.b.${domain}`) === undefined);

  console.log(`A blocklist of ${integer(domains.length)} disposable mail domains\n`);
  check(SAMPLE);
  heading('Size');
  const saved = blocked.toBytes();
  row('the filter, as a file', size(saved.length), `${size(gzipSync(saved).length)} gzipped`);
  const gzipped = sizeOf(json.map((file) => gzipSync(file)));
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
