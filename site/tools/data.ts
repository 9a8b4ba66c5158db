// Makes the data that pages load on demand from the names of all npm packages, in site/build/data/.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lines } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { choose, loadNames, seededRandom, sourceOfNames } from '../../examples/names.ts';
import { isStale } from '../../tools/stale.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = path('../build/data');
const inputs = [path('data.ts'), path('../../examples/package-lock.json'), path('../../dist/fuse.wasm')];

/** The fewest bits per cell with an error rate below 1 %. */
const FINGERPRINT_BITS = 7;
/** The number of absent names that are looked up to measure the error rate. */
const ASKED = 1_000_000;
const SAMPLE = 100_000;
/** The number of names in the second sample list. Half of them are in the first. */
const SECOND_SAMPLE = 50_000;
const SEED = 1970;

/** Facts about the filter of all names. */
export interface NamesFacts {
  readonly source: string;
  readonly names: number;
  /** The size of the saved filter. */
  readonly bytes: number;
  /** The size of the names as a text, a name per line. */
  readonly textBytes: number;
  /** The number of absent names that were looked up, and the number of these that looked present. */
  readonly asked: number;
  readonly wrong: number;
}

const textOf = (names: readonly string[]): Buffer => Buffer.from(`${names.join('\n')}\n`);

/** Makes names that are certainly absent: they contain a space, and no package name does. */
function absentNames(names: readonly string[]): Buffer {
  if (names.some((name) => name.includes(' '))) throw new Error('a name has a space');
  return textOf(names.slice(0, ASKED).map((name) => `${name} 2`));
}

function writeNames(names: readonly string[]): void {
  const text = textOf(names);
  const filter = BinaryFuseFilter.from(lines(text), { fingerprintBits: FINGERPRINT_BITS });
  const saved = filter.toBytes();
  const wrong = filter.pick(lines(absentNames(names))).count();
  const facts: NamesFacts = {
    source: sourceOfNames(),
    names: filter.capacity,
    bytes: saved.length,
    textBytes: text.length,
    asked: ASKED,
    wrong,
  };
  writeFileSync(`${folder}/names.json`, JSON.stringify(facts));
  writeFileSync(`${folder}/names.bloom`, saved);
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

/** Writes the data, unless they are up to date. */
export function writeData(): void {
  const outputs = ['names.json', 'names.txt', 'more-names.txt', 'names.bloom'].map((name) => `${folder}/${name}`);
  if (!isStale(outputs, inputs)) return;
  const names = loadNames();
  mkdirSync(folder, { recursive: true });
  writeSamples(names);
  writeNames(names);
}
