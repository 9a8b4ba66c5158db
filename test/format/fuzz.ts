// Damages saved filters and reads them. To run it alone: `npx tsx test/format/fuzz.ts 1e8 [seed]`.

import { BinaryFuseFilter as WasmFuse } from '../../src/entries/fuse.ts';
import { RotatingBloomFilter as WasmRotating } from '../../src/entries/rotating.ts';
import { ScalableBloomFilter as WasmScalable } from '../../src/entries/scalable.ts';
import { SpatialBloomFilter as WasmSpatial } from '../../src/entries/spatial.ts';
import { StableBloomFilter as WasmStable } from '../../src/entries/stable.ts';
import { TombstoneFilter as WasmTombstone } from '../../src/entries/tombstone.ts';
import { TombstoneFilter as JsTombstone } from '../../src/entries/tombstone-js.ts';
import { Checksum } from '../../src/format/checksum.ts';
import type { Filter } from '../../src/index.ts';
import { wasm } from '../../src/kernel/engine-wasm.ts';
import { type LoadableClass, loadAny } from '../../src/load.ts';
import { kinds, sizedKinds } from '../shared/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { filled, HEADER, keysOf, REFUSED, splitAt } from './saved.ts';

type Random = (limit: number) => number;

/** What loads the files of a kind. */
interface SavedClass {
  fromBytes(bytes: Uint8Array): Filter;
  fromChunks(chunks: Iterable<Uint8Array>): Filter;
}

const wasmKinds = sizedKinds.filter(({ engine }) => engine.name === 'wasm');
const ofEngine = (name: string) => kinds.filter(({ engine }) => engine.name === name);
/** The classes of all kinds by their numbers in files. */
const wasmClasses = new Map<number, SavedClass>(ofEngine('wasm').map(({ id, Filter }) => [id, Filter]));
const classesOn = {
  wasm: ofEngine('wasm').map(({ Filter }) => Filter),
  js: ofEngine('js').map(({ Filter }) => Filter),
} as object as Record<'wasm' | 'js', readonly LoadableClass[]>;

/** Small filters of each kind. */
function originalsOf(): Uint8Array[] {
  const grown = wasmKinds.flatMap((kind) => [1, 20, 83, 300].map((cells) => filled(kind, cells, 3)));
  const fuse = [0, 1, 3, 40].map((count, i) => WasmFuse.from(keysOf(count), { fingerprintBits: 1 + 7 * i, seed: i }));
  const scalable = [0, 3, 20].map((count) => new WasmScalable({ capacity: 5 }).addMany(keysOf(count)));
  const rotating = [0, 3, 20].map((count) =>
    new WasmRotating({ capacity: 5, lanes: 2 + (count >> 2) }).addMany(keysOf(count)),
  );
  const timed = new WasmRotating({ capacity: 5, window: 100, clock: () => 1000 }).addMany(keysOf(9));
  const spatial = [1, 2, 10, 200, 300].map((labels) =>
    new WasmSpatial({ cells: 21, hashes: 2, labels }).addMany(keysOf(3), labels),
  );
  const stable = ([1, 2, 4, 8] as const).map((cellBits, i) =>
    new WasmStable({ capacity: 5, errorRate: 0.3, cellBits }).addMany(keysOf(3 * i)),
  );
  const wrapped = [fuse[2], scalable[1], rotating[1], grown[0]].map((base, i) =>
    new WasmTombstone(base as Filter).removeMany(keysOf(i)),
  );
  const all = [...grown, ...fuse, ...scalable, ...rotating, timed, ...spatial, ...stable, ...wrapped];
  return all.map((filter) => filter.toBytes());
}

/** The number of the kind. */
const TOMBSTONE = 11;

/** Numbers at the edges of ranges and types. */
const EDGES = [0n, 1n, 7n, 8n, 64n, 255n, 256n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, -1n];
const RATES = [0, -0, 1, 0.5, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, -1];
const TIMES = [...RATES, 777.5, 1000, 1e300];
/** The offset and the number of bits of each field of a header, and of those that follow it in some kinds. */
const FIELDS = [
  [4, 8],
  [5, 8],
  [6, 8],
  [7, 8],
  [8, 32],
  [12, 32],
  [16, 64],
  [24, 64],
  [40, 32],
  [44, 32],
  [48, 64],
  // The parameters of kinds that have their own.
  [64, 32],
  [68, 32],
  [72, 32],
  [80, 64],
  [88, 64],
  [96, 64],
  [104, 64],
  [128, 64],
  [136, 64],
  [144, 64],
  [152, 32],
  [160, 64],
] as const;
/** The errors for a valid header that states a larger filter than there is memory for. */
const TOO_LARGE = /^a filter of .+ is too large|^no memory for/;

const lender = wasm.reserve(64).instance;

/** Where the body of a file begins, if it is where the header says. */
function bodyOf(file: Uint8Array): number {
  const stated = new DataView(file.buffer).getUint32(40, true);
  return stated > HEADER && stated <= file.length ? stated : HEADER;
}

/** Where the file of a base begins, if that is in the file. */
function baseAt(file: Uint8Array, body: number): number {
  return Math.min(file.length, body + 64 * Math.ceil(Number(new DataView(file.buffer).getBigUint64(16, true)) / 4));
}

/** The lengths of the segments: one, two of a tombstone filter, or those of the slices of a scalable filter, as far as they fit the file. */
function lengthsOf(file: Uint8Array, body: number): number[] {
  const view = new DataView(file.buffer);
  const lengths: number[] = [];
  let left = file.length - body;
  if (file[5] === TOMBSTONE && left > 0) {
    const base = baseAt(file, body);
    return [base - body, file.length - base].filter((length) => length > 0);
  }
  for (let at = 128; file[5] === 4 && at + 32 <= body && left > 0; at += 32) {
    const length = Math.min(left, 64 * Math.ceil(Number(view.getBigUint64(at, true)) / 512));
    if (length > 0) lengths.push(length);
    left -= length;
  }
  return left > 0 ? [...lengths, left] : lengths;
}

/** Makes the checksum match if the file is long enough to have one, and that of a base. */
function seal(file: Uint8Array): void {
  if (file.length < HEADER) return;
  const body = bodyOf(file);
  if (file[5] === TOMBSTONE) {
    const at = baseAt(file, body);
    const base = file.slice(at);
    seal(base);
    file.set(base, at);
  }
  const lengths = lengthsOf(file, body);
  const checksum = new Checksum(file.subarray(0, body));
  let at = body;
  for (const length of lengths) {
    checksum.push(file.subarray(at, at + length), lender);
    at += length;
  }
  file.set(checksum.seal(lender));
}

function setField(file: Uint8Array, random: Random): void {
  const view = new DataView(file.buffer);
  const [at, bits] = FIELDS[random(FIELDS.length)] ?? FIELDS[0];
  // Kinds with parameters of their own have times and rates among them.
  if (at > HEADER && bits === 64 && at + 8 <= file.length && random(2) === 0) {
    view.setFloat64(at, TIMES[random(TIMES.length)] ?? 0, true);
    return;
  }
  const value = random(4) === 0 ? BigInt(random(300)) : (EDGES[random(EDGES.length)] ?? 0n) + BigInt(random(3) - 1);
  const field = new DataView(new ArrayBuffer(8));
  field.setBigUint64(0, BigInt.asUintN(64, value), true);
  for (let i = 0; i < bits / 8 && at + i < file.length; i++) view.setUint8(at + i, field.getUint8(i));
}

function setPromise(file: Uint8Array, random: Random): void {
  if (file.length < HEADER) return;
  const view = new DataView(file.buffer);
  view.setFloat64(32, random(2) === 0 ? random(1000) / 1000 : (RATES[random(RATES.length)] ?? 0), true);
  view.setBigUint64(24, BigInt(random(3)), true);
}

/** Makes the header state a size that may differ from the actual one. */
function setSize(file: Uint8Array, random: Random): void {
  if (file.length < HEADER) return;
  const view = new DataView(file.buffer);
  const cellBits = view.getUint8(7);
  const body = random(1000) === 0 ? 2 ** random(45) : Math.max(0, file.length - bodyOf(file) + random(3) - 1);
  const cells = Math.max(0, Math.floor((8 * body) / (cellBits || 1)) - random(8));
  view.setBigUint64(16, BigInt(cells), true);
  view.setBigUint64(48, BigInt(body), true);
}

function splice(file: Uint8Array, random: Random): Uint8Array {
  const from = random(file.length + 1);
  const kept = file.subarray(from + random(9));
  const inserted = Uint8Array.from({ length: random(9) }, () => random(256));
  const spliced = new Uint8Array(from + inserted.length + kept.length);
  spliced.set(file.subarray(0, from));
  spliced.set(inserted, from);
  spliced.set(kept, from + inserted.length);
  return spliced;
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const at = random(file.length);
  switch (random(6)) {
    case 0:
      file[at] = (file[at] ?? 0) ^ (1 << random(8));
      return file;
    case 1:
      file[at] = random(256);
      return file;
    case 2:
      setField(file, random);
      return file;
    case 3:
      setPromise(file, random);
      return file;
    case 4:
      setSize(file, random);
      return file;
    default:
      return splice(file, random);
  }
}

function read(file: Uint8Array, way: number, random: Random): Filter {
  // A damaged header may state any kind.
  const Class = wasmClasses.get(file[5] ?? 0) ?? (WasmFuse as SavedClass);
  if (way === 0) return Class.fromChunks(splitAt(file, [random(file.length + 1), random(file.length + 1)]));
  if (way === 1) return Class.fromBytes(file);
  return loadAny(classesOn[way === 2 ? 'js' : 'wasm'], file) as Filter;
}

/** Throws unless a filter that was read works and is saved as the same file. */
function check(filter: Filter, file: Uint8Array): void {
  // Before any use, because time passes for rotating filters.
  const saved = filter.toBytes();
  filter.has('key 0');
  const fill = filter.fillRatio();
  const { capacity, errorRate } = filter;
  // A fuse filter of no keys promises nothing.
  const { kind } = filter instanceof WasmTombstone || filter instanceof JsTombstone ? filter.base : filter;
  const isPromise = capacity >= 1 ? errorRate > 0 && errorRate <= 1 : kind === 'fuse' && errorRate === 0;
  if (!isPromise || !(fill >= 0 && fill <= 1))
    throw new Error(`fill ${fill}, capacity ${capacity}, error rate ${errorRate}`);
  if (Buffer.compare(saved, file) !== 0) throw new Error('it was saved as a different file');
}

/** How many inputs were read, and how many were refused. */
interface Fuzzed {
  read: number;
  refused: number;
}

/**
 * Reads `count` damaged files, half of them with a matching checksum. Throws an error with the file if one does harm.
 */
export function fuzz(count: number, seed: number): Fuzzed {
  const { stackTraceLimit } = Error;
  // Recording the stack traces of errors would take longer than everything else.
  Error.stackTraceLimit = 0;
  try {
    return fuzzAll(count, seed);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function fuzzAll(count: number, seed: number): Fuzzed {
  const random = randomFrom(seed);
  const originals = originalsOf();
  const result = { read: 0, refused: 0 };
  for (let i = 0; i < count; i++) {
    let file: Uint8Array = (originals[random(originals.length)] ?? new Uint8Array(HEADER)).slice();
    for (let times = random(3); times >= 0; times--) if (file.length > 0) file = mutate(file, random);
    if (i % 2 === 0) seal(file);
    // The JavaScript engine is slow, and a few inputs are enough for it.
    const way = random(100) === 0 ? 2 : [0, 1, 3][random(3)];
    let filter: Filter | undefined;
    try {
      filter = read(file, way ?? 3, random);
      check(filter, file);
      result.read++;
    } catch (error) {
      const { message } = error as Error;
      const isRefusal = filter === undefined && error instanceof RangeError;
      if (!isRefusal || !(REFUSED.test(message) || (way === 0 && TOO_LARGE.test(message)))) {
        const hex = Buffer.from(file).toString('hex');
        throw new Error(`input ${i} of seed ${seed}, read in way ${way}: ${hex}`, { cause: error });
      }
      result.refused++;
    } finally {
      filter?.dispose();
    }
  }
  return result;
}

if (process.argv[1] === import.meta.filename) {
  const count = Number(process.argv[2] ?? 1e6);
  const first = Number(process.argv[3] ?? 1);
  // A million inputs per seed, so that a failure can be reproduced.
  for (let done = 0, seed = first; done < count; done += 1e6, seed++) {
    const { read: good, refused } = fuzz(Math.min(1e6, count - done), seed);
    console.log(`seed ${seed}: ${good} read, ${refused} refused`);
  }
}
