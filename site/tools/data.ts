// Makes the data that pages load on demand, in site/build/data/: from the names of all npm packages, and for the page "Was
// this password leaked?" a list of some passwords that everybody knows and a million that nobody has.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BlockedBloomFilter, lines } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { choose, loadNames, seededRandom, sourceOfNames } from '../../examples/names.ts';
import { isStale } from '../../tools/stale.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../build/data');

/** The fewest bits per cell with an error rate below 1 %. */
const FINGERPRINT_BITS = 7;
/** The number of absent names that are looked up to measure the error rate. */
const ASKED = 1_000_000;
const SAMPLE = 100_000;
/** The number of names in the second sample list. Half of them are in the first. */
const SECOND_SAMPLE = 50_000;
/** Those that the page offers to ask for are among them. */
const KNOWN_PASSWORDS = ['123456', 'password', 'qwerty', 'iloveyou', 'dragon', 'letmein'];
const GENERATED = 1_000_000;
const LEAKED_RATE = 0.001;
const SEED = 1970;

/** When each version of the list was published, by `npm view all-the-package-names time`: a name may be newer. */
const LIST_DATES: Readonly<Record<string, string>> = { 'all-the-package-names 2.0.2578': '2026-09-29' };

/** Facts about the filter of all names. */
export interface NamesFacts {
  readonly source: string;
  /** YYYY-MM-DD: the day on which the list was published. */
  readonly date: string;
  readonly names: number;
  /** The size of the saved filter. */
  readonly bytes: number;
  /** The size of the names as a text, a name per line. */
  readonly textBytes: number;
  /** The number of absent names that were looked up, and the number of these that looked present. */
  readonly asked: number;
  readonly wrong: number;
}

/** Facts about the list of passwords. */
export interface LeakedFacts {
  readonly passwords: number;
  /** The size of the file. */
  readonly bytes: number;
  readonly errorRate: number;
}

const textOf = (names: readonly string[]): Buffer => Buffer.from(`${names.join('\n')}\n`);

/** Writes a saved filter, and the facts about it. */
function write(name: string, saved: Uint8Array, facts: NamesFacts | LeakedFacts): void {
  writeFileSync(`${folder}/${name}.bloom`, saved);
  writeFileSync(`${folder}/${name}.json`, JSON.stringify(facts));
}

/** Makes names that are certainly absent: they contain a space, and no package name does. */
function absentNames(names: readonly string[]): Buffer {
  if (names.some((name) => name.includes(' '))) throw new Error('a name has a space');
  return textOf(names.slice(0, ASKED).map((name) => `${name} 2`));
}

function writeNames(names: readonly string[]): void {
  const source = sourceOfNames();
  const date = LIST_DATES[source];
  if (date === undefined) throw new Error(`site/tools/data.ts does not say when ${source} was published`);
  const text = textOf(names);
  const filter = BinaryFuseFilter.from(lines(text), { fingerprintBits: FINGERPRINT_BITS });
  const saved = filter.toBytes();
  write('names', saved, {
    source,
    date,
    names: filter.capacity,
    bytes: saved.length,
    textBytes: text.length,
    asked: ASKED,
    wrong: filter.pick(lines(absentNames(names))).count(),
  });
}

/** Writes two sorted lists of names. Half of the second list is in the first. */
function writeSamples(names: readonly string[]): void {
  const random = seededRandom(SEED);
  const { chosen: first, others } = choose(names, SAMPLE, random);
  const half = SECOND_SAMPLE / 2;
  const second = [...choose(first, half, random).chosen, ...choose(others, half, random).chosen].sort();
  writeFileSync(`${folder}/names.txt`, textOf(first));
  writeFileSync(`${folder}/more-names.txt`, textOf(second));
}

/** The digest of a password as the list has it: see `digestOf` of examples/leaked-passwords. */
const digest = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

function* generatedPasswords(): Generator<string> {
  const random = seededRandom(SEED);
  for (let i = 0; i < GENERATED; i++) yield `${i.toString(36)}-${random().toString(36).slice(2)}`;
}

function writeLeaked(): void {
  const passwords = KNOWN_PASSWORDS.length + GENERATED;
  const list = new BlockedBloomFilter({ capacity: passwords, errorRate: LEAKED_RATE });
  for (const each of [KNOWN_PASSWORDS, generatedPasswords()]) list.addMany(Array.from(each, digest));
  const saved = list.toBytes();
  write('leaked', saved, { passwords, bytes: saved.length, errorRate: LEAKED_RATE });
}

/** Writes the data, unless they are up to date. */
export function writeData(): void {
  const files = ['names.json', 'names.txt', 'more-names.txt', 'names.bloom', 'leaked.json', 'leaked.bloom'];
  const inputs = ['data.ts', '../../examples/package-lock.json', '../../dist/fuse.wasm', '../../dist/kernel.wasm'];
  const outputs = files.map((name) => `${folder}/${name}`);
  if (!isStale(outputs, inputs.map(path))) return;
  mkdirSync(folder, { recursive: true });
  const names = loadNames();
  writeSamples(names);
  writeNames(names);
  writeLeaked();
}
