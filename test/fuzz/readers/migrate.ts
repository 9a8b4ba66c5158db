// What other packages of npm have saved, damaged or forged.

import { fromBloomFilters, fromBloomfilter, type MigratedFilter } from '../../../src/entries/migrate.ts';
import { SavedFilterError } from '../../../src/index.ts';
import { readVectors } from '../../migrate/vectors.ts';
import { anything, damageBytes } from '../damage/bytes.ts';
import { areSame, attempt, type Outcome, pick, type Random, type Reader, require, type Subject } from '../subject.ts';

type Fields = Record<string, unknown>;

const savedBy = (name: string): readonly object[] => readVectors(name).filters.map(({ saved }) => saved);
// Small ones, because each case copies one.
const isSmall = (saved: object): boolean => JSON.stringify(saved).length < 1500;
const ofBloomFilters = savedBy('bloom-filters-3.0.4').filter(isSmall) as readonly Fields[];
const ofBloomfilter = savedBy('bloomfilter-1.1.0')
  .filter(isSmall)
  .map((saved): Fields => (Array.isArray(saved) ? { k: 3, buckets: saved } : (saved as Fields)));

const OTHERS = [
  ...['BloomFilter', 'XorFilter', '__proto__', Number.NaN, Infinity, undefined, 7n],
  ...[[[]], [[1, 2]], { size: 8, content: '/w==' }, new Array(40)],
];

/** Replaces a value somewhere inside of an object or an array. */
function replaceIn(value: object, random: Random): void {
  const names = Object.keys(value);
  if (names.length === 0) return;
  const name = pick(random, names);
  const inner = (value as Fields)[name];
  if (typeof inner === 'object' && inner !== null && random(2) === 0) replaceIn(inner, random);
  else if (typeof inner === 'string' && random(4) > 0) (value as Fields)[name] = damagedText(inner, random);
  else if (random(10) === 0) Reflect.deleteProperty(value, name);
  else (value as Fields)[name] = anything(random, OTHERS);
}

function damagedText(text: string, random: Random): string {
  return Buffer.from(damageBytes(new TextEncoder().encode(text), random)).toString('latin1');
}

/** A saved filter with damage in its fields, or in its text; undefined if that is no longer JSON. */
function damaged(originals: readonly Fields[], { random }: Subject): unknown {
  const saved = structuredClone(pick(random, originals));
  for (let times = random(3); times > 0; times--) replaceIn(saved, random);
  if (random(4) > 0) return random(40) === 0 ? anything(random, OTHERS) : saved;
  const text = JSON.stringify(saved, (_, value: unknown) => (typeof value === 'bigint' ? null : value));
  return attempt(
    () => JSON.parse(damagedText(text, random)) as unknown,
    (error) => error instanceof SyntaxError,
  );
}

const CODES = ['FOREIGN', 'KIND', 'VERSION', 'TRUNCATED', 'DAMAGED'];

function isRefusal(error: unknown): boolean {
  if (error instanceof SavedFilterError && !CODES.includes(error.code)) return false;
  const isKind = error instanceof TypeError || error instanceof RangeError;
  return isKind && /^(?:json|saved|buckets|hashes)\b.* (?:must be|must have) /.test(error.message);
}

const KEYS = ['', 'a', 'é', '漢字', '😀', '\ud800', 'x'.repeat(99)];

/** Throws unless what was read is such a filter, and its answers agree with each other. */
function requireFilter(filter: MigratedFilter<string>, bits: number, hashes: unknown, ones: number): void {
  require(filter.bits === bits && filter.hashes === hashes, 'a filter has its size');
  require(Math.abs(filter.fillRatio() - ones / bits) < 1e-12, 'a filter has the bits that are saved');
  const flags = filter.hasMany(KEYS);
  const singles = Uint8Array.from(KEYS, (key) => Number(filter.has(key)));
  require(areSame(flags, singles), 'answers do not depend on the call');
  require(filter.pick(KEYS).length + filter.omit(KEYS).length === KEYS.length, 'a key is picked or omitted');
  if (ones === 0) require(!flags.includes(1), 'nothing is in an empty filter');
  if (ones === bits) require(!flags.includes(0), 'everything is in a full filter');
}

const onesIn = (words: Iterable<number>): number =>
  [...words].reduce((sum, word) => sum + (word >>> 0).toString(2).replaceAll('0', '').length, 0);

/** The number of ones in what `_filter` holds: a text, counters, or several texts. */
function onesOf(filter: unknown): number {
  if (!Array.isArray(filter)) return onesIn(Buffer.from((filter as { content: string }).content, 'base64'));
  return filter.reduce((sum: number, each: unknown) => sum + (Array.isArray(each) ? Number(each[0]) : onesOf(each)), 0);
}

const shown = (saved: unknown): string =>
  String(JSON.stringify(saved, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)));

const bloomFilters: Reader = {
  name: 'JSON of bloom-filters',
  share: 20_000,
  run(subject): Outcome {
    const json = damaged(ofBloomFilters, subject) as Fields & { type: string };
    subject.input = shown(json);
    const filter = attempt(() => fromBloomFilters(json), isRefusal);
    if (filter === undefined) return 'refused';
    const { type, _size, _m, _nbHashes, _filter } = json;
    const bits = type === 'PartitionedBloomFilter' ? Number(_m) * Number(_nbHashes) : _size;
    requireFilter(filter, Number(bits), _nbHashes, onesOf(_filter));
    return 'read';
  },
};

const bloomfilter: Reader = {
  name: 'buckets of bloomfilter',
  share: 20_000,
  run(subject): Outcome {
    const { random } = subject;
    const saved = damaged(ofBloomfilter, subject) as Fields & { k: number; buckets: number[] };
    subject.input = shown(saved);
    const isJson = random(2) === 0;
    const read = (): MigratedFilter<string> =>
      isJson ? fromBloomfilter(saved) : fromBloomfilter(saved?.buckets, saved?.k);
    const filter = attempt(read, isRefusal);
    if (filter === undefined) return 'refused';
    requireFilter(filter, 32 * saved.buckets.length, saved.k, onesIn(saved.buckets));
    return 'read';
  },
};

export const migrateReaders: readonly Reader[] = [bloomFilters, bloomfilter];
