// SipHash-1-3 with 128 bits by its definition, slowly and plainly with BigInt.

const u64 = (x: bigint): bigint => BigInt.asUintN(64, x);
const rotate = (x: bigint, by: number): bigint => u64(x << BigInt(by)) | (x >> BigInt(64 - by));

type Word = 0 | 1 | 2 | 3;
type State = Record<Word, bigint>;

/** Adds word b to word a, rotates b by some bits, and mixes a into it. */
function add(state: State, a: Word, b: Word, bits: number): void {
  state[a] = u64(state[a] + state[b]);
  state[b] = rotate(state[b], bits) ^ state[a];
}

function turn(state: State, rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    add(state, 0, 1, 13);
    state[0] = rotate(state[0], 32);
    add(state, 2, 3, 16);
    add(state, 0, 3, 21);
    add(state, 2, 1, 17);
    state[2] = rotate(state[2], 32);
  }
}

/** Up to 8 bytes as an integer, little-endian. */
const integerOf = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** The hash of filters with a secret: halves of 64 bits, of which the first comes first in memory. */
export function siphash13(message: Uint8Array, key: Uint8Array): [h1: bigint, h2: bigint] {
  const k0 = integerOf(key.subarray(0, 8));
  const k1 = integerOf(key.subarray(8, 16));
  const state: State = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn ^ 0xeen,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const mix = (block: bigint): void => {
    state[3] ^= block;
    turn(state, 1);
    state[0] ^= block;
  };
  const whole = message.length - (message.length % 8);
  for (let at = 0; at < whole; at += 8) mix(integerOf(message.subarray(at, at + 8)));
  mix(integerOf(message.subarray(whole)) | (BigInt(message.length % 256) << 56n));
  const half = (): bigint => {
    turn(state, 3);
    return state[0] ^ state[1] ^ state[2] ^ state[3];
  };
  state[2] ^= 0xeen;
  const first = half();
  state[1] ^= 0xddn;
  return [first, half()];
}

/** The bytes of a hash, in hexadecimal. */
export function hexOf(halves: readonly bigint[]): string {
  return Buffer.from(BigUint64Array.from(halves).buffer).toString('hex');
}
