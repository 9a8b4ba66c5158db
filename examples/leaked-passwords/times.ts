// How often was this password leaked? For the server at which somebody chooses one. It reads a file of its own, of some 2
// bytes for each password, in which each has the power of two that is not above its count:
//
//   awk -F: '{ print $1 ":" int(log($2) / log(2)) }' pwned.txt |
//     bloomery build --kind fuse-map --delimiter : --field 1 --value-field 2 --error-rate 0.001 -o times.bloom
//
//   const times = await openTimes('times.bloom');
//   if ((await timesLeaked(times, password)) >= 128) …     // of passwords that did not leak, 1 in 1024 gets some number
//
// A page asks the filter of leaked.ts instead: the three pages of a map that an answer takes would tell the server of
// static files which password it is.

import { fileSource } from 'bloomery/file';
import { FuseMap } from 'bloomery/fuse-map';
import { type OpenedFilter, openFilter } from 'bloomery/open';
import { digestOf } from './leaked.ts';

/** Makes the file of how often each password leaked, by its digest: what the commands above do. */
export function packTimes(counts: ReadonlyMap<string, number>): Uint8Array<ArrayBuffer> {
  const powers = Uint8Array.from(counts.values(), (count) => Math.floor(Math.log2(count)));
  const map = FuseMap.from(counts.keys(), powers, { errorRate: 0.001 });
  const saved = map.toBytes();
  map.dispose();
  return saved;
}

/** Opens the file. Nothing but its head is read, until somebody asks. */
export function openTimes(path: string): Promise<OpenedFilter> {
  return openFilter([FuseMap], fileSource(path), { cacheBytes: 2 ** 20 });
}

/** How often a password leaked, at least, and less than twice as often: 0, 1, 2, 4, 8 … */
export async function timesLeaked(times: OpenedFilter, password: string): Promise<number> {
  const power = await times.get(await digestOf(password));
  return power === undefined ? 0 : 2 ** power;
}
