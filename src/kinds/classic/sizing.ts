import { requireInteger, requireRate, showRounded } from '../../util/checks/validate.ts';

/** The largest count that fits a file's header and that a double holds exactly. */
const MAX_COUNT: number = Number.MAX_SAFE_INTEGER;
/** The most hashes that a file's header allows. */
export const MAX_HASHES = 255;
/** The lowest error rate that a filter can keep: that of one with the most hashes. */
export const LEAST_ERROR_RATE: number = 2 ** -MAX_HASHES;

/**
 * The textbook size of a Bloom filter in bits: `ceil(−n ln p / (ln 2)²)`, the smallest number of bits that holds
 * `capacity` keys at `errorRate` if the number of hashes could be any real number.
 *
 * The `BloomFilter` constructor starts from this size and adds a little for small filters, where the formula is too
 * optimistic.
 *
 * @param capacity the number of keys n, 1 … 2^53 − 1
 * @param errorRate the share p of absent keys that look present, 0 < p < 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or the result exceeds 2^53 − 1
 * @see B. H. Bloom, Space/time trade-offs in hash coding with allowable errors, CACM 13(7), 1970
 */
export function optimalBits(capacity: number, errorRate: number): number {
  requireInteger('capacity', capacity, 1, MAX_COUNT);
  requireRate('errorRate', errorRate);
  const bits = Math.ceil((-capacity * Math.log(errorRate)) / (Math.LN2 * Math.LN2));
  if (bits > MAX_COUNT) throw tooManyBits(capacity, errorRate);
  return bits;
}

function tooManyBits(capacity: number, errorRate: number): RangeError {
  return new RangeError(
    `capacity ${capacity} at errorRate ${showRounded(errorRate)} needs more than ${MAX_COUNT} bits`,
  );
}

/**
 * The number of hashes that gives the lowest error rate: `max(1, round(m / n · ln 2))`.
 *
 * @param capacity the number of keys n, 1 … 2^53 − 1
 * @param bits the number of bits m, 1 … 2^53 − 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 */
export function optimalHashes(capacity: number, bits: number): number {
  requireInteger('capacity', capacity, 1, MAX_COUNT);
  requireInteger('bits', bits, 1, MAX_COUNT);
  return Math.max(1, Math.round((bits / capacity) * Math.LN2));
}

/**
 * The expected error rate of a Bloom filter of `bits` bits and `hashes` hashes that holds `count` keys.
 *
 * This is the expectation of (set bits / m)^k to second order: `μ^k + ½ k (k−1) μ^(k−2) σ²`, where μ and σ² are the
 * mean and the variance of the share of occupied bins after N = k n balls are thrown into m bins. It is within 0.5 %
 * of the exact sum over all occupancies for n ≥ 10 and rates down to 10^-4, where the usual `(1 − e^(−kn/m))^k` is up
 * to 14 % too low.
 *
 * @param count the number of distinct keys n, 0 … 2^53 − 1
 * @param bits the number of bits m, 1 … 2^53 − 1
 * @param hashes the number of hashes k, 1 … 255
 * @returns the share of absent keys that look present, 0 … 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 * @see N. L. Johnson, S. Kotz, Urn Models and Their Application, 1977, §3.1, for μ and σ²
 */
export function expectedErrorRate(count: number, bits: number, hashes: number): number {
  requireInteger('count', count, 0, MAX_COUNT);
  requireInteger('bits', bits, 1, MAX_COUNT);
  requireInteger('hashes', hashes, 1, MAX_HASHES);
  if (count === 0) return 0;
  if (bits === 1) return 1;
  const balls = hashes * count;
  // `empty` is (1 − 1/m)^N, and exp(logBothEmpty) is (1 − 2/m)^N. σ² is a difference of nearly equal numbers, hence
  // expm1.
  const logEmpty = balls * Math.log1p(-1 / bits);
  const logBothEmpty = balls * Math.log1p(-2 / bits);
  const empty = Math.exp(logEmpty);
  const mean = -Math.expm1(logEmpty);
  const variance =
    empty / bits + empty * empty * Math.expm1(logBothEmpty - 2 * logEmpty) - Math.exp(logBothEmpty) / bits;
  const curvature = 0.5 * hashes * (hashes - 1) * mean ** (hashes - 2) * Math.max(0, variance);
  return Math.min(1, mean ** hashes + curvature);
}

/** A filter's promised error rate may be exceeded by this factor, so that rounding adds no bits to large filters. */
const TOLERANCE = 1.005;

/**
 * The bits and hashes of a filter that keeps its promised error rate: the textbook size, enlarged if it is too small.
 */
export function sizeFor(capacity: number, errorRate: number): { cellCount: number; hashes: number } {
  let bits = optimalBits(capacity, errorRate);
  if (errorRate < LEAST_ERROR_RATE) {
    throw new RangeError(`errorRate must be at least 2^-${MAX_HASHES}, got ${showRounded(errorRate)}`);
  }
  const hashes = optimalHashes(capacity, bits);
  const keeps = (m: number): boolean => expectedErrorRate(capacity, m, hashes) <= TOLERANCE * errorRate;
  let tooFew = bits;
  while (!keeps(bits)) {
    if (bits > MAX_COUNT / 2) throw tooManyBits(capacity, errorRate);
    bits *= 2;
  }
  while (bits - tooFew > 1) {
    const middle = Math.floor((tooFew + bits) / 2);
    if (keeps(middle)) bits = middle;
    else tooFew = middle;
  }
  return { cellCount: bits, hashes };
}
