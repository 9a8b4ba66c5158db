// Calls of every function of every module, with random valid arguments, which are chosen by the names of its parameters.
// For invalid ones, builds may differ.

import { readFileSync } from 'node:fs';
import type { FingerprintSetExports } from '../../src/kernel/generated/fingerprint-set/exports.ts';
import type { FuseExports } from '../../src/kernel/generated/fuse/exports.ts';
import type { FuseMapExports } from '../../src/kernel/generated/fuse-map/exports.ts';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { randomFrom } from '../shared/random.ts';
import { BASE, type Beside, type Build } from './builds.ts';

const PAGES = 4;
/** Those for a filter of more than 1 MiB. */
const FAR_PAGES = 40;
const KEY_BYTES = 32_768;
const BODY_BYTES = 65_536;

let KEYS = 0;
let ENDS = 0;
let FLAGS = 0;
let HASHES = 0;
let BODY = 0;
let OTHER = 0;

/** Lays out what functions take, from an address on. */
function layOut(base: number): void {
  KEYS = base + 64;
  ENDS = KEYS + KEY_BYTES + 64;
  FLAGS = ENDS + 4096;
  HASHES = FLAGS + 1024;
  BODY = HASHES + 16_384;
  OTHER = BODY + BODY_BYTES;
}

layOut(BASE);
/** Where the keys, the body or the other body lie across the address 2^31. */
export const ACROSS: readonly number[] = [KEYS, BODY, OTHER].map((at) => 2 ** 31 - 3072 - (at - BASE));

interface Stage {
  readonly kernel: KernelExports & FingerprintSetExports & FuseExports & FuseMapExports & StableExports;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Random integers in 0 … limit − 1. */
  readonly random: (limit: number) => number;
}

type Random = Stage['random'];
type Values = Readonly<Record<string, unknown>>;

/** The names of the parameters of a module's functions. */
export function signaturesOf(module: string): ReadonlyMap<string, readonly string[]> {
  const file = new URL(`../../src/kernel/generated/${module}/exports.ts`, import.meta.url);
  const functions = readFileSync(file, 'utf8').matchAll(/^ {2}(\w+)\((.*)\): /gm);
  const parametersIn = (list: string): string[] => [...list.matchAll(/_?(\w+): /g)].map(([, each = '']) => each);
  return new Map([...functions].map(([, name = '', list = '']) => [name, parametersIn(list)]));
}

const bucketSizes = (random: Random, name: string, buckets: number, places: number, bits: number): Values => {
  const from = random(places);
  const count = random(name.endsWith('_merge') ? Math.min(places - from, 50) : 500);
  return { buckets, bits, from, others: KEYS + random(100), count };
};
const residueSizes = (random: Random, most: number): Values => ({
  bits: 64 * (1 + random(2 ** 13)),
  k: 1 + random(random(8) ? 12 : most),
  narrow: random(2),
});

/**
 * The sizes of filters, by the beginnings of the names of their functions. Their bodies fit their place, or, with `far`,
 * take more than 1 MiB: from there on, blocks are touched before they are probed.
 */
const kinds: Readonly<Record<string, (random: Random, name: string, far: boolean) => Values>> = {
  bloom: (random) => ({ bits: 1 + random(2 ** (1 + random(19))) }),
  blocked: (random, _, far) => ({ blocks: far ? 2 ** 16 + random(9) : 1 + random(2 ** 11) }),
  wide: (random, _, far) => ({ blocks: far ? 2 ** 15 + random(9) : 1 + random(2 ** 10) }),
  counting: (random) => ({ counters: 1 + random(2 ** (2 + random(16))) }),
  rotating(random, _, far) {
    const generations = far ? 3 : 2 + random(15);
    const room = random([2, 10, 600][random(3)] as number);
    const blocks = far ? 20_000 + random(9) : 1 + random(120);
    return { blocks, generations, generation: random(generations), current: random(generations), room };
  },
  stable(random, _, far) {
    const width = far ? 1 : random(4);
    const cells = far ? 2 ** 23 + random(9) : 1 + random(2 ** (1 + random(19 - width)) - 1);
    const run = 1 + random(far || random(2) ? Math.min(100, cells) : cells);
    return { width, cells, run, k: 1 + random(random(4) ? 8 : 255), low: random(2 ** 32), high: random(2 ** 32) };
  },
  spatial(random) {
    const width = random(5);
    return { width, cells: 1 + random(2 ** (1 + random(15))), label: 1 + random(2 ** (2 ** width) - 1) };
  },
  // Filters of few buckets are full soon. With few bits, some keys look present in a body of random bytes.
  cuckoo(random, name) {
    const pairs = 1 + random(random(2) ? 8 : 2 ** (1 + random(11)));
    return bucketSizes(random, name, 2 * pairs, pairs, 7 + random(random(2) ? 3 : 26));
  },
  dleft(random, name) {
    const buckets = 1 + random(random(2) ? 4 : 2 ** random(10));
    return bucketSizes(random, name, buckets, 4 * buckets, 6 + random(random(2) ? 3 : 27));
  },
  fuse(random) {
    const bits = 1 + random(random(2) ? 9 : 32);
    const sizes = { exponent: 2 + random(5), segments: 1 + random(10), attempt: random(64) };
    return { ...sizes, bits, valueBits: 1 + random(bits) };
  },
  guava: (random) => residueSizes(random, 255),
  // More hashes than the loops take at once.
  spark: (random) => residueSizes(random, 2000),
};

/** Values for parameters that functions of several kinds have. */
function common(random: Random, isText: boolean): Values {
  const units = random(random(4) ? 100 : 10);
  const most = random(2) ? 0x80 : 0x10000;
  const text = isText ? String.fromCharCode(...Array.from({ length: units }, () => random(most))) : null;
  const count = random(500);
  return {
    ...{ body: BODY, k: 1 + random(random(2) ? 5 : 20), count, keys: count, flags: FLAGS },
    ...{ hash: HASHES + 16 * random(1000), hashes: HASHES + 16 * random(500), labels: ENDS + 2 * random(500) },
    ...{ text, key: KEYS + random(1000), length: units, seed: random(random(4) ? 2 ** 32 : 10) },
    ...{ at: BODY + 8 * random(50), target: BODY + 64 * random(50), source: OTHER, value: random(256) },
    ...{ state: HASHES + 64 * random(200), part: KEYS + random(1000), tail: KEYS + random(KEY_BYTES) },
    ...{ integers: KEYS + 8 * random(1000), signed: random(2), out: HASHES + 16 * random(1000) },
  };
}

/** Writes random ends of keys below `length`, in bytes or units, and returns their number. */
function putEnds({ bytes, random }: Stage, length: number): number {
  const ends = Uint32Array.from({ length: random(100) }, () => random(length)).sort();
  new Uint32Array(bytes.buffer, ENDS, ends.length).set(ends);
  return ends.length;
}

function packed(stage: Stage): Values {
  const start = stage.random(1000);
  const count = putEnds(stage, KEY_BYTES - start);
  return { bytes: KEYS + start, ends: ENDS, count };
}

const bytesOfBodies = ({ random }: Stage): Values => ({ length: 8 * random(1250) });
const anyLength = ({ random }: Stage): Values => ({ length: 2 ** random(54) - random(2) });

/** Where pages and cells of tables of fingerprints are, and their sizes. */
const TABLE = { facts: 2176, first: 2400, pages: 30, cells: 64 } as const;

/** A table of fingerprints: its cells have 12 bytes, or 16. */
type TableForm = Readonly<Record<'width' | 'pages' | 'cells', number>>;

/** Makes a table of fingerprints of random hashes, at an address that has room for it. */
function tableAt(at: number, { kernel, bytes, random }: Stage, form: TableForm, count: number): void {
  const { width, pages, cells } = form;
  const { first } = TABLE;
  bytes.fill(0, at, at + first + width * cells * pages);
  const words = new Uint32Array(bytes.buffer, at, 25);
  words.set([0, 0, pages, width * cells, cells - 8, cells - 16, 0, 0, TABLE.facts, first]);
  // 2^63 + 1 is its own inverse modulo 2^64.
  const factor = [1, 2 ** 31];
  words.set([...factor, 77, 1 + random(2 ** 32), ...[factor, factor, factor, factor, factor].flat(), width], 10);
  kernel.fingerprints_empty(at);
  kernel.fingerprints_add(at, HASHES, 16, count, FLAGS);
}

const widthOf = ({ random }: Stage): number => (random(2) ? 12 : 16);

/** A table of several pages, and fingerprints of which it has some. */
function fingerprints(stage: Stage, width: number = widthOf(stage)): Values {
  const { random } = stage;
  tableAt(BODY, stage, { width, pages: 1 + random(TABLE.pages), cells: TABLE.cells }, random(600));
  const count = random(900);
  return { table: BODY, fingerprints: HASHES + 4 * random(60), stride: random(2) ? 12 : 16, count };
}

/** The keys that a filter or a map is built of, and room to count in. */
function fuseCount({ bytes, random }: Stage): Values {
  bytes.fill(0, BODY, OTHER);
  const at = random(1000);
  return { work: BODY, mixed: KEYS + 8 * at, keys: KEYS + 4 * at, exponent: 6, segments: 8, count: random(500) };
}

/** Keys that were counted. */
const fuseBuild =
  (verb: 'fuse_count' | 'fuse_map_count') =>
  ({ kernel, bytes, random }: Stage): Values => {
    const [exponent, segments, count] = [5, 1 + random(9), random(300)];
    bytes.fill(0, HASHES, OTHER);
    kernel[verb](BODY, exponent, segments, random(64), KEYS, count);
    return { work: BODY, exponent, segments, count, body: HASHES };
  };

/** What some functions need besides: values of parameters, and bytes in memory. */
const special: Readonly<Record<string, (stage: Stage, i: number) => Values>> = {
  hash_begin: ({ random }) => ({ length: 2 ** random(54) }),
  hash_again: ({ random }) => ({ length: 2 ** random(54) }),
  hash_continue: ({ random }) => ({ length: 16 * random(1250) }),
  hash_end: anyLength,
  hash_packed: packed,
  hash_lines({ bytes, random }) {
    const alphabet = Buffer.from('abc\r\n');
    // In some rounds, newlines are rare, so that lines are long. The bytes after the text also look like text.
    const letters = random(3) ? 5 : 200;
    for (let at = KEYS; at < KEYS + 2000; at++) bytes[at] = alphabet[random(letters)] ?? random(256);
    const [text, length] = [KEYS + random(100), random(random(2) ? 100 : 1000)];
    const limit = random(3) ? 1024 : random(10);
    return { text, length, last: random(2), crlf: random(2), limit, hashes: HASHES, ends: ENDS };
  },
  utf8_ends(stage) {
    const { bytes, random } = stage;
    const text = String.fromCharCode(...Array.from({ length: 2000 }, () => random(2 ** (8 + random(9)))));
    const start = KEYS + random(100);
    const { written } = new TextEncoder().encodeInto(text, bytes.subarray(start, KEYS + KEY_BYTES));
    const count = putEnds(stage, text.length);
    const ends = new Uint32Array(bytes.buffer, ENDS, count);
    // No end may be inside a surrogate pair.
    for (const [at, end] of ends.entries()) if ((text.codePointAt(end - 1) ?? 0) > 0xffff) ends[at] = end - 1;
    return { bytes: start, length: written, ends: ENDS, count };
  },
  keep_packed(stage) {
    for (let key = 0; key < 100; key++) stage.bytes[FLAGS + key] = stage.random(2);
    return { ...packed(stage), wanted: stage.random(2) };
  },
  bits_count: bytesOfBodies,
  bits_fill: bytesOfBodies,
  bits_or: bytesOfBodies,
  bits_and: bytesOfBodies,
  bits_equal({ bytes, random }, i) {
    bytes.copyWithin(OTHER, BODY, BODY + 10_000);
    if (i % 4) bytes[OTHER + random(10_000)] = random(256);
    return { one: BODY, other: OTHER, length: 8 * random(1250) };
  },
  ...Object.fromEntries(
    ['empty', 'add', 'has', 'remove', 'add_key', 'has_key', 'remove_key'].map((verb) => [
      `fingerprints_${verb}`,
      (stage: Stage): Values => fingerprints(stage),
    ]),
  ),
  // It writes to the ends of hashes, which should be the ends of those of the next round.
  fingerprints_number: (stage) => ({ ...fingerprints(stage, 16), fingerprints: HASHES, numbers: KEYS }),
  fingerprints_read(stage) {
    const from = stage.random(40);
    return { ...fingerprints(stage), from, to: from + stage.random(100), step: 1 + stage.random(4), out: KEYS };
  },
  fingerprints_spread(stage) {
    const { cells, first } = TABLE;
    const width = widthOf(stage);
    tableAt(OTHER, stage, { width, pages: 1, cells }, stage.random(60));
    tableAt(BODY, stage, { width, pages: 1, cells: 2 * cells }, 0);
    stage.bytes.copyWithin(BODY + first + width * cells, OTHER + first, OTHER + first + width * cells);
    return { table: BODY, cells };
  },
  fingerprints_move(stage) {
    const width = widthOf(stage);
    tableAt(OTHER, stage, { width, pages: 1, cells: TABLE.cells }, stage.random(60));
    return { ...fingerprints(stage, width), others: OTHER + TABLE.first, cells: TABLE.cells };
  },
  fingerprints_sort(stage) {
    const { bytes, random } = stage;
    // In some rounds, most bytes of the fingerprints are the same.
    if (random(2)) for (let at = KEYS; at < KEYS + 12_000; at += 1 + random(2)) bytes[at] = 7;
    return { fingerprints: KEYS, count: random(1000), width: widthOf(stage), work: BODY };
  },
  fingerprints_ascending(stage) {
    const { kernel, random } = stage;
    const count = random(1000);
    const width = widthOf(stage);
    if (random(3)) kernel.fingerprints_sort(KEYS, random(2) ? count : count >> 1, width, BODY);
    return { fingerprints: KEYS, count, width };
  },
  counting_used: bytesOfBodies,
  counting_sum: bytesOfBodies,
  counting_least: bytesOfBodies,
  counting_bits: ({ random }) => ({ counters: BODY + 64 * random(50), length: 8 * random(1250), bits: OTHER }),
  spatial_max: bytesOfBodies,
  spatial_used: ({ random }) => ({ length: 8 * random(1250), width: 3, label: random(257) }),
  spatial_add({ bytes, random }) {
    const width = random(5);
    const labels = new Uint16Array(bytes.buffer, ENDS, 1000);
    for (const i of labels.keys()) labels[i] = 1 + random(2 ** (2 ** width) - 1);
    return { width };
  },
  stable_used: bytesOfBodies,
  stable_state({ kernel, random }) {
    kernel.stable_add(BODY, 1000, 1, 4, 30, random(2 ** 32), random(2 ** 32), HASHES, random(500), FLAGS);
    return { high: random(2) };
  },
  fuse_count: fuseCount,
  fuse_map_count: fuseCount,
  fuse_build: fuseBuild('fuse_count'),
  fuse_map_build: fuseBuild('fuse_map_count'),
  fuse_map_sort: ({ random }) => ({ fingerprints: KEYS, count: random(1000), width: 12, work: BODY }),
};

/** For the module for Go, in place of hashes: contiguous keys, or a single one that came in parts. */
function placesOf(stage: Stage): Values {
  const { kernel, random } = stage;
  if (random(4)) {
    const { bytes, ends, count } = packed(stage) as Record<string, number>;
    kernel.hash_packed(bytes as number, ends as number, count as number, 0, HASHES);
    return { places: HASHES, count };
  }
  kernel.hash_begin(HASHES, 0);
  kernel.hash_continue(HASHES, KEYS, 16 * random(100));
  kernel.hash_end(HASHES, KEYS + random(1000), 2 ** random(54) - random(2));
  return { places: HASHES, count: 1 };
}

const random = randomFrom(1);
const noise = Uint8Array.from({ length: PAGES * 65_536 - BASE }, () => random(256));
/** Bodies without a bit, of which most runs of 64 bytes have none, with half of the bits, and with most of them. */
const bodies = [
  new Uint8Array(BODY_BYTES),
  noise.slice(0, BODY_BYTES).map((byte, at) => (((at >> 6) * 5) % 8 ? 0 : byte)),
  noise.slice(0, BODY_BYTES),
  noise.slice(0, BODY_BYTES).map((byte) => byte | random(256) | random(256) | random(256)),
];

/** Writes random bytes, and hashes of which every third is 2 x and 3 x. */
function prepare(bytes: Uint8Array, base: number): void {
  bytes.set(noise, base);
  const view = new DataView(bytes.buffer);
  for (let at = HASHES; at < BODY; at += 48) {
    const x = view.getBigUint64(at, true);
    view.setBigUint64(at, 2n * x, true);
    view.setBigUint64(at + 8, 3n * x, true);
  }
}

/** A function, and how it is played. */
export interface Played {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly beside?: Beside | undefined;
  readonly far?: boolean;
}

/** Plays a function in a build, with all that it takes from an address on. Gives what it returned, and the memory. */
export function play({ name, parameters, beside, far = false }: Played, { open }: Build, base: number = BASE) {
  const pages = Math.ceil((base - BASE) / 65_536) + (far ? FAR_PAGES : PAGES);
  const { kernel, memory } = open(pages, pages + 600, beside);
  const bytes = new Uint8Array(memory.buffer);
  layOut(base);
  prepare(bytes, base);
  const random = randomFrom(1);
  const stage = { kernel: kernel as Stage['kernel'], bytes, random };
  const rounds = /_key$|_count$/.test(name) ? 120 : 15;
  const call = (i: number): unknown => {
    const values: Values = {
      ...common(random, i % 2 === 0),
      ...kinds[name.replace(/_.*/, '')]?.(random, name, far),
      ...special[name]?.(stage, i),
      ...(parameters.includes('places') && placesOf(stage)),
    };
    const args = parameters.map((parameter) => values[parameter]);
    if (args.includes(undefined)) throw new Error(`there are no values for all of ${name}(${parameters.join(', ')})`);
    return (kernel[name as keyof KernelExports] as (...args: unknown[]) => unknown)(...args);
  };
  const returned = bodies.flatMap((body) => {
    bytes.set(body, BODY);
    return Array.from({ length: parameters.length ? rounds : 1 }, (_, i) => call(i));
  });
  const used = (far ? FAR_PAGES : PAGES) * 65_536 - BASE;
  return { returned, memory: new Uint8Array(memory.buffer, base, used) };
}
