// A large file of names, for pages that filter files.

import { createHash } from 'node:crypto';

/** Names as they are on npm, in no order. */
function nameOf(i: number): string {
  const mixed = Math.imul(i, 0x9e3779b1) >>> 0;
  return `${i % 3 === 0 ? '@scope/' : ''}${mixed.toString(36)}-package-${i}\n`;
}

/** The lines of the names from `first` on. */
export function listFrom(first: number, count: number): Buffer {
  const bytes = Buffer.alloc(count * 40);
  let length = 0;
  for (let i = first; i < first + count; i++) length += bytes.write(nameOf(i), length, 'latin1');
  return bytes.subarray(0, length);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
