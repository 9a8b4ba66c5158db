// Ships a fixed list to pages as a small file, which tells what is certainly not in the list.
//
//   writeFileSync('blocked.blmy', pack(names));                          // when the list changes
//
//   const isListed = await unpack(await fetch('/blocked.blmy'));         // in the page
//   if (isListed('scam.example')) …                                      // ask the server, which has the list

import { BinaryFuseFilter } from 'bloomery/fuse';

/**
 * A file of the names. The same list gives the same file, in any order, so that caches keep it. A false positive is a
 * question to the server: for 1 other name in 1000.
 */
export function pack(names: Iterable<string>): Uint8Array<ArrayBuffer> {
  const filter = BinaryFuseFilter.from(names, { errorRate: 0.001 });
  try {
    return filter.toBytes();
  } finally {
    filter.dispose();
  }
}

/** Loads the file. The function that it gives returns false for what is certainly not in the list. */
export async function unpack(response: Response): Promise<(name: string) => boolean> {
  const filter = await BinaryFuseFilter.fromChunks(response);
  return (name) => filter.has(name);
}
