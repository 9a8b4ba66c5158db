// Makes the list of passwords that the page "Was this password leaked?" asks, in site/build/data/. The list is generated:
// some passwords that everybody knows, and a million that nobody has.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BlockedBloomFilter } from 'bloomery';
import { seededRandom } from '../../examples/names.ts';
import { isStale } from '../../tools/stale.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../build/data');
const inputs = [path('leaked-list.ts'), path('../../dist/kernel.wasm')];

/** Those that the page offers to ask for. They are in the list. */
export const KNOWN = ['123456', 'password', 'qwerty', 'iloveyou', 'dragon', 'letmein'] as const;
const GENERATED = 1_000_000;
const ERROR_RATE = 0.001;
const SEED = 1970;

/** Facts about the list. */
export interface LeakedFacts {
  readonly passwords: number;
  /** The size of the file. */
  readonly bytes: number;
  readonly errorRate: number;
}

/** The digest of a password as the list has it: see `digestOf` of examples/leaked-passwords. */
const digest = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Writes the list, unless it is up to date. */
export function writeLeakedList(): void {
  const outputs = ['leaked.json', 'leaked.bloom'].map((name) => `${folder}/${name}`);
  if (!isStale(outputs, inputs)) return;
  const random = seededRandom(SEED);
  const list = new BlockedBloomFilter({ capacity: KNOWN.length + GENERATED, errorRate: ERROR_RATE });
  list.addMany(KNOWN.map(digest));
  list.addMany(
    (function* () {
      for (let i = 0; i < GENERATED; i++) yield digest(`${i.toString(36)}-${random().toString(36).slice(2)}`);
    })(),
  );
  const saved = list.toBytes();
  const facts: LeakedFacts = { passwords: list.capacity, bytes: saved.length, errorRate: ERROR_RATE };
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/leaked.json`, JSON.stringify(facts));
  writeFileSync(`${folder}/leaked.bloom`, saved);
}
