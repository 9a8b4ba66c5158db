// Measures how well gzip compresses full filters of every kind, and writes the shares for the calculator:
// npx tsx site/tools/gzip.ts

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { TombstoneFilter } from 'bloomery/tombstone';
import { kinds, LABELS, REMOVED_SHARE } from '../src/calculator/kinds.ts';

interface Wanted {
  readonly capacity: number;
  readonly errorRate: number;
}

interface Filled {
  add(key: string, label: number): unknown;
  toBytes(): Uint8Array;
}

/** A class of any kind. Those of complete lists have no constructor. */
interface AnyClass {
  new (wanted: Wanted): Filled;
  from(keys: readonly string[], wanted: Pick<Wanted, 'errorRate'>): Filled;
}

const classes = new Map<string, AnyClass>(
  await Promise.all(
    kinds.map(async ({ kind, entry, className }) => [kind, (await import(entry))[className]] as [string, AnyClass]),
  ),
);

/** How often a filter that forgets is filled: until it forgets as much as comes. */
const ROUNDS = 10;

function filled({ kind, past, moreOptions }: (typeof kinds)[number], wanted: Wanted): Filled {
  const keys = Array.from({ length: wanted.capacity }, (_, i) => `key ${i}`);
  const Class = classes.get(kind) as AnyClass;
  if (past === 'complete') return Class.from(keys, { errorRate: wanted.errorRate });
  if (kind === 'tombstone') {
    const removed = keys.slice(0, REMOVED_SHARE * keys.length);
    return new TombstoneFilter(new BloomFilter(wanted).addMany(keys)).removeMany(removed);
  }
  const filter = new Class({ ...wanted, ...moreOptions });
  for (let round = 0; round < (past === 'forgets' ? ROUNDS : 1); round++) {
    for (const [i, key] of keys.entries()) filter.add(`${key} ${round}`, 1 + (i % LABELS));
  }
  return filter;
}

/** The share of the file that is left; null if the kind has no such filter. */
export function gzipShareOf(row: (typeof kinds)[number], count: number, errorRate: number): number | null {
  try {
    const bytes = filled(row, { capacity: count, errorRate }).toBytes();
    return gzipSync(bytes).length / bytes.length;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const keys = 100_000;
  const rates = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-8];
  const shares = kinds.map((row) => {
    const ofRates = rates.map((rate) => gzipShareOf(row, keys, rate)).map((share) => share && Number(share.toFixed(3)));
    return `    "${row.kind}": ${JSON.stringify(ofRates).replaceAll(',', ', ')}`;
  });
  const text = `{\n  "keys": ${keys},\n  "rates": ${JSON.stringify(rates).replaceAll(',', ', ')},\n  "shares": {\n${shares.join(',\n')}\n  }\n}\n`;
  writeFileSync(new URL('../src/calculator/gzip.json', import.meta.url), text);
}
