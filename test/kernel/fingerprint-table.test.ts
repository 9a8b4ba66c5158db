// Fingerprints whose places in a page are the same: which these are follows from a secret, so here it is known.

import { expect, it } from 'vitest';
import type { FingerprintSetExports } from '../../src/kernel/generated/fingerprint-set/exports.ts';
import { BASE, release } from './builds.ts';

const TABLE = BASE + 64;
const FINGERPRINTS = TABLE + 65_536;
const FLAGS = FINGERPRINTS + 12_288;

it('fingerprints with one place are told apart, in a page and when it is divided', () => {
  const { kernel, memory } = release.open(4);
  const set = kernel as object as FingerprintSetExports;
  const { buffer } = memory;
  // Pages of 64 cells, and all factors of the secret are 1: then w is the low half of h1 and the high half together.
  new Uint32Array(buffer, TABLE, 10).set([0, 0, 30, 768, 56, 48, 0, 0, 2176, 2400]);
  new Uint32Array(buffer, TABLE + 40, 10).set([1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
  set.fingerprints_empty(TABLE);
  const words = new Uint32Array(buffer, FINGERPRINTS, 900);
  for (let i = 0; i < 300; i++) {
    const high = Math.imul(i + 1, 0x9e3779b9);
    // Ten at each of thirty places.
    words.set([(high ^ ((i % 30) * 2 ** 27)) >>> 0, high >>> 0, 0], 3 * i);
  }
  const flags = new Uint8Array(buffer, FLAGS, 300);
  const ones = new Uint8Array(300).fill(1);
  expect(set.fingerprints_add(TABLE, FINGERPRINTS, 12, 300, FLAGS)).toBe(300);
  expect(flags).toEqual(ones);
  expect(set.fingerprints_has(TABLE, FINGERPRINTS, 12, 300, FLAGS)).toBe(300);
  expect(set.fingerprints_remove(TABLE, FINGERPRINTS, 12, 100, FLAGS)).toBe(100);
  expect(set.fingerprints_has(TABLE, FINGERPRINTS, 12, 300, FLAGS)).toBe(200);
  expect(flags).toEqual(ones.fill(0, 0, 100));
});
