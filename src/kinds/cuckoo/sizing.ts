import { mustBe, requireInteger, requireRate, showLeast } from '../../util/checks/validate.ts';

/** The number of slots per bucket. */
export const BUCKET_SLOTS = 4;
/** The most buckets of a filter. */
export const MAX_BUCKETS: number = 2 ** 30;
/** The least and the most bits of a fingerprint. */
export const FINGERPRINT_BITS: readonly [least: number, most: number] = [7, 32];

/** The share of slots in use in a large filter that holds `capacity` keys. */
const LOAD = 0.95;
/** Extra slots in every filter, because a small one may otherwise be full before it holds `capacity` keys. */
const SPARE_SLOTS = 20;
/** The slots in both buckets of a key. The smallest filter has only these, so it always holds that many keys. */
const PROBED_SLOTS: number = 2 * BUCKET_SLOTS;

/** The most keys that a filter can be made for. */
const MAX_CAPACITY: number = capacityOf(MAX_BUCKETS);

/** The number of keys that a filter of this many buckets takes. */
export function capacityOf(buckets: number): number {
  return Math.max(PROBED_SLOTS, Math.floor(LOAD * (BUCKET_SLOTS * buckets - SPARE_SLOTS)));
}

/**
 * The smallest number of buckets, of four slots each, with which a cuckoo filter takes `capacity` keys: 2 up to 8 keys,
 * else `2 · ceil((capacity / 0.95 + 20) / 8)`. At most one filter in 10^5 of that size is full before it holds
 * `capacity` keys.
 *
 * @param capacity the number of keys n, 1 … 4,080,218,912
 * @throws TypeError if the capacity is not a number; RangeError if it is out of range
 */
export function optimalCuckooBuckets(capacity: number): number {
  return bucketsFor(requireInteger('capacity', capacity, 1, MAX_CAPACITY));
}

function bucketsFor(capacity: number): number {
  return capacity <= PROBED_SLOTS ? 2 : 2 * Math.ceil((capacity / LOAD + SPARE_SLOTS) / PROBED_SLOTS);
}

/** The error rate if a key is compared with `stored` fingerprints of this many bits, those in its two buckets. */
function rateOf(stored: number, fingerprintBits: number): number {
  return -Math.expm1(stored * Math.log1p(-1 / (2 ** fingerprintBits - 1)));
}

/** Returns the number of buckets if a filter can have it; else throws. */
export function requireBuckets(buckets: unknown): number {
  const given = requireInteger('buckets', buckets, 2, MAX_BUCKETS);
  if (given % 2 === 0) return given;
  throw new RangeError(mustBe('buckets', 'even', buckets));
}

/** Returns the width of fingerprints if a filter can have it; else throws. */
export function requireFingerprintBits(bits: unknown): number {
  return requireInteger('fingerprintBits', bits, ...FINGERPRINT_BITS);
}

/**
 * The expected error rate of a cuckoo filter that holds `count` keys: `1 − (1 − 1 / (2^f − 1))^(8 · load)`, where the
 * load is the share of slots in use.
 *
 * @param count the number of keys, 0 … 4 · buckets; a key that was added several times counts as often
 * @param buckets the number of buckets, an even number from 2 to 2^30
 * @param fingerprintBits the number of bits of a fingerprint f, 7 … 32
 * @returns the share of absent keys that look present, 0 … 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 * @see B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, Cuckoo Filter: Practically Better Than Bloom, 2014
 */
export function expectedCuckooErrorRate(count: number, buckets: number, fingerprintBits: number): number {
  requireInteger('count', count, 0, BUCKET_SLOTS * requireBuckets(buckets));
  return rateOf((2 * count) / buckets, requireFingerprintBits(fingerprintBits));
}

/** The error rate of the widest fingerprints, in a filter that holds as many keys as it is made for. */
export function leastCuckooErrorRate(capacity: number): number {
  return rateOf((2 * capacity) / bucketsFor(capacity), FINGERPRINT_BITS[1]);
}

/**
 * The smallest number of bits of a fingerprint with which a cuckoo filter of `optimalCuckooBuckets(capacity)` buckets holds
 * `capacity` keys at `errorRate`.
 *
 * @param capacity the number of keys n, 1 … 4,080,218,912
 * @param errorRate the share p of absent keys that look present, 0 < p < 1
 * @returns 7 … 32
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or 32 bits are too few
 */
export function optimalCuckooFingerprintBits(capacity: number, errorRate: number): number {
  requireRate('errorRate', errorRate);
  const stored = (2 * capacity) / optimalCuckooBuckets(capacity);
  const [least, most] = FINGERPRINT_BITS;
  for (let bits = least; bits <= most; bits++) if (rateOf(stored, bits) <= errorRate) return bits;
  throw new RangeError(
    `errorRate must be at least ${showLeast(leastCuckooErrorRate(capacity))} with fingerprints of ${most} bits, got ${errorRate}`,
  );
}
