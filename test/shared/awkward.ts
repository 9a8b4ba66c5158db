import type { Key } from '../../src/index.ts';
import { randomFrom } from './random.ts';

const parts = [
  ...['', ...'aZ0 \0\n', '\r\n', ...'\téß߿ࠀ漢字\uffff\ufeff😀', '👨‍👩‍👧'],
  ...['\ud800', '\udbff', '\udc00', '\udfff', '\u007f', '\u0080'],
];

/** Strings that break naive encoders: lone surrogates at both ends, NUL, characters of every width in UTF-8. */
export function awkwardStrings(count: number, seed: number): string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: random(12) }, () => parts[random(parts.length)]).join(''),
  );
}

export function randomBytes(length: number, seed: number): Uint8Array {
  const random = randomFrom(seed);
  return Uint8Array.from({ length }, () => random(256));
}

const integers: Key[] = [
  ...[0, -0, 1, -1, 255, 256, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32)],
  ...[2 ** 53 - 1, -(2 ** 53) + 1, 0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 53n],
  ...[2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n, 2n ** 64n - 1n],
];

/** Keys of every type, mixed so that types occur both in runs and one by one. */
export function awkwardKeys(count: number, seed: number): Key[] {
  const random = randomFrom(seed);
  const strings = awkwardStrings(count, seed + 1);
  const keys: Key[] = [];
  while (keys.length < count) {
    const kind = random(4);
    for (let run = random(random(10) === 0 ? 200 : 4); run >= 0; run--) {
      if (kind === 0) keys.push(randomBytes(random(70), keys.length));
      else if (kind === 1) keys.push(integers[random(integers.length)] ?? 0);
      else if (kind === 2) keys.push(random(2 ** 31) - random(2 ** 31));
      else keys.push(strings[keys.length] ?? '');
    }
  }
  return keys;
}
