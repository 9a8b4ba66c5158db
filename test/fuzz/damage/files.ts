// Damage to saved filters that reaches behind the first checks: fields with values at limits, sizes that fit the file,
// swapped segments, and checksums that match.

import { keyed } from '../../../src/entries/keyed.ts';
import { Checksum } from '../../../src/format/checksum.ts';
import { BloomFilter } from '../../../src/index.ts';
import { wasm } from '../../../src/kernel/engine-wasm.ts';
import type { Instance } from '../../../src/kernel/instance.ts';
import { HEADER, viewOf } from '../../format/saved.ts';
import { SECRET } from '../../shared/secret.ts';
import { pick, type Random } from '../subject.ts';
import { damageBytes, edge } from './bytes.ts';

/** The numbers of kinds with a body of several segments. */
const SCALABLE = 4;
const TOMBSTONE = 11;
const SHARDED = 13;
const FUSE_MAP = 15;

const RATES = [0, -0, 1, 0.5, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, -1];
const TIMES = [...RATES, 777.5, 1000, 1e300];

/** The offset and the number of bits of each field of a header, and of those that follow it in some kinds. */
const FIELDS = [
  ...([4, 5, 6, 7] as const).map((at) => [at, 8] as const),
  ...([8, 12, 40, 44] as const).map((at) => [at, 32] as const),
  ...([16, 24, 48] as const).map((at) => [at, 64] as const),
  // The parameters of kinds that have their own.
  ...([64, 68, 72, 152] as const).map((at) => [at, 32] as const),
  ...([80, 88, 96, 104, 128, 136, 144, 160] as const).map((at) => [at, 64] as const),
] as const;

/** Hash files, without a secret and under it. */
const [lender, keyedLender] = [wasm, keyed(BloomFilter, SECRET).engine].map(
  (engine) => engine.reserve(64).instance,
) as [Instance, Instance];

/** Where the body of a file begins, if it is where the header says. */
function bodyOf(file: Uint8Array): number {
  const stated = viewOf(file).getUint32(40, true);
  return stated > HEADER && stated <= file.length ? stated : HEADER;
}

/** Where the file of a base begins, if that is in the file. */
function baseAt(file: Uint8Array, body: number): number {
  return Math.min(file.length, body + 64 * Math.ceil(Number(viewOf(file).getBigUint64(16, true)) / 4));
}

/**
 * The lengths of the segments: one, two of a tombstone filter, or those of the sub-filters of a scalable filter or of
 * the shards of a sharded fuse filter or of a map, as far as they fit the file.
 */
function lengthsOf(file: Uint8Array, body: number): number[] {
  const view = viewOf(file);
  const lengths: number[] = [];
  let left = file.length - body;
  if (file[5] === TOMBSTONE && left > 0) {
    const base = baseAt(file, body);
    return [base - body, file.length - base].filter((length) => length > 0);
  }
  const isInShards = file[5] === SHARDED || file[5] === FUSE_MAP;
  const first = file[5] === FUSE_MAP ? 72 : 64;
  for (let i = 0; isInShards && i < view.getUint32(44, true) && first + 24 * (i + 1) <= body && left > 0; i++) {
    const [e, segments] = [view.getUint32(first + 24 * i, true), view.getUint32(first + 4 + 24 * i, true)];
    const length = Math.min(left, Math.ceil(((segments + 2) * 2 ** Math.min(e, 32)) / 8) * (file[7] ?? 0));
    if (length > 0) lengths.push(length);
    left -= length;
  }
  for (let at = 128; file[5] === SCALABLE && at + 32 <= body && left > 0; at += 32) {
    const length = Math.min(left, 64 * Math.ceil(Number(view.getBigUint64(at, true)) / 512));
    if (length > 0) lengths.push(length);
    left -= length;
  }
  return left > 0 ? [...lengths, left] : lengths;
}

/** Makes the checksum match if the file is long enough to have one, and that of a base. */
export function seal(file: Uint8Array): void {
  if (file.length < HEADER) return;
  const body = bodyOf(file);
  if (file[5] === TOMBSTONE) {
    const at = baseAt(file, body);
    const base = file.slice(at);
    seal(base);
    file.set(base, at);
  }
  const instance = file[6] === 2 ? keyedLender : lender;
  const checksum = new Checksum(file.subarray(0, body));
  let at = body;
  for (const length of lengthsOf(file, body)) {
    checksum.push(file.subarray(at, at + length), instance);
    at += length;
  }
  file.set(checksum.seal(instance));
}

function setField(file: Uint8Array, random: Random): Uint8Array {
  const view = viewOf(file);
  const [at, bits] = pick(random, FIELDS);
  // Kinds with parameters of their own have times and rates among them.
  if (at > HEADER && bits === 64 && at + 8 <= file.length && random(2) === 0) {
    view.setFloat64(at, pick(random, TIMES), true);
    return file;
  }
  const field = new DataView(new ArrayBuffer(8));
  field.setBigUint64(0, BigInt.asUintN(64, edge(random)), true);
  for (let i = 0; i < bits / 8 && at + i < file.length; i++) view.setUint8(at + i, field.getUint8(i));
  return file;
}

function setPromise(file: Uint8Array, random: Random): Uint8Array {
  const view = viewOf(file);
  view.setFloat64(32, random(2) === 0 ? random(1000) / 1000 : pick(random, RATES), true);
  view.setBigUint64(24, BigInt(random(3)), true);
  return file;
}

/** Makes the header state a size that may differ from the actual one. */
function setSize(file: Uint8Array, random: Random): Uint8Array {
  const view = viewOf(file);
  const cellBits = view.getUint8(7);
  const body = random(1000) === 0 ? 2 ** random(45) : Math.max(0, file.length - bodyOf(file) + random(3) - 1);
  const cells = Math.max(0, Math.floor((8 * body) / (cellBits || 1)) - random(8));
  view.setBigUint64(16, BigInt(cells), true);
  view.setBigUint64(48, BigInt(body), true);
  return file;
}

/** Swaps two segments, or the halves of the only one. */
function swapSegments(file: Uint8Array): Uint8Array {
  const body = bodyOf(file);
  const [first = 0] = lengthsOf(file, body);
  const cut = body + first < file.length ? body + first : body + ((file.length - body) >> 1);
  const swapped = file.slice();
  swapped.set(file.subarray(cut), body);
  swapped.set(file.subarray(body, cut), body + file.length - cut);
  return swapped;
}

/** Damages a file in one way, also a base inside of it. */
export function damageFile(file: Uint8Array, random: Random): Uint8Array {
  if (file.length < HEADER) return damageBytes(file, random);
  if (file[5] === TOMBSTONE && random(2) === 0) {
    const at = baseAt(file, bodyOf(file));
    const base = damageFile(file.slice(at), random);
    const around = new Uint8Array(at + base.length);
    around.set(file.subarray(0, at));
    around.set(base, at);
    // The outer header states the length of all segments.
    if (random(4) > 0) viewOf(around).setBigUint64(48, BigInt(around.length - bodyOf(around)), true);
    return around;
  }
  const last = random(4) === 0 ? swapSegments : damageBytes;
  return pick(random, [damageBytes, damageBytes, setField, setPromise, setSize, last])(file, random);
}
