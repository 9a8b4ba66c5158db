// The secret of the keyed classes in the suites.

import { siphash13 } from './siphash.ts';

/** No two of its bytes are alike, and none is ASCII. */
export const SECRET: Uint8Array<ArrayBuffer> = Uint8Array.from({ length: 16 }, (_, i) => 0x9b + ((37 * i) % 97));

/** The seed of all filters under a secret, as docs/format.md specifies it. */
export function seedUnder(secret: Uint8Array): number {
  const [h1] = siphash13(new TextEncoder().encode('the secret of a bloomery filter'), secret);
  return 2 ** 32 + Number(BigInt.asUintN(32, h1));
}

export const KEYED_SEED: number = seedUnder(SECRET);

/** The secret under which a file of filters with that secret is hashed. */
export const FILE_SECRET: Uint8Array<ArrayBuffer> = SECRET.map((byte) => byte ^ 0x5c);
