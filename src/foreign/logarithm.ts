// The natural logarithm, rounded as C libraries round it. `Math.log` differs from them in the last bit for one number in
// seventy, and systems save what they compute with it.

/** 1, as a fixed-point number of 128 fractional bits. */
const ONE: bigint = 2n ** 128n;

/** 2 artanh z = ln((1 + z) / (1 − z)), for fixed-point numbers z up to 1/3. */
function logOfRatio(z: bigint): bigint {
  const square = (z * z) / ONE;
  let sum = 0n;
  let power = z;
  for (let i = 1n; power > 0n; i += 2n) {
    sum += power / i;
    power = (power * square) / ONE;
  }
  return 2n * sum;
}

/** The natural logarithm of a number between 0 and 1, rounded to the nearest double. */
export function naturalLog(x: number): number {
  let exponent = 0;
  let mantissa = x;
  for (; mantissa > 0 && mantissa < 1; exponent--) mantissa *= 2;
  const fixed = BigInt(mantissa * 2 ** 52) << 76n;
  const ofMantissa = logOfRatio(((fixed - ONE) * ONE) / (fixed + ONE));
  let sum = ofMantissa + BigInt(exponent) * logOfRatio(ONE / 3n);
  let fraction = 128;
  // Hermes 0.12 converts larger bigints wrongly. The last bit stands for all that are cut off.
  for (; sum < -(2n ** 62n); fraction -= 8) sum = (sum >> 8n) | 1n;
  return Number(sum) / 2 ** fraction;
}
