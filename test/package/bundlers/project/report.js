// Prints what a filter of the list answers, and the hash of its file.

import { BinaryFuseFilter } from 'bloomery/fuse';

export async function report(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const picked = BinaryFuseFilter.fromBytes(bytes).pick(['name-1', 'name-20000', 'another']);
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  console.log(JSON.stringify({ digest: hex, picked }));
}
