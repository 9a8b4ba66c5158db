// Which of up to forty lists block a domain? One map has the answer for all of them: each domain has the number of a set
// of lists, and the sets are few.
//
//   writeFileSync('blocked-by.bin', pack({ ads: [...], scam: [...] }));    // when a list changes
//
//   const listsOf = unpack(readFileSync('blocked-by.bin'));
//   listsOf('scam.example'); // ['scam']

import { FuseMap } from 'bloomery/fuse-map';

/**
 * Packs lists of domains, by their names: the file has a line with the sets as JSON, and then the map from a domain to
 * the place of its set. 1 other domain in 1024 is said to be in the lists of some set.
 */
export function pack(lists: Readonly<Record<string, Iterable<string>>>): Uint8Array<ArrayBuffer> {
  const namesOf = new Map<string, string[]>();
  for (const [name, domains] of Object.entries(lists)) {
    for (const domain of new Set(domains)) {
      const names = namesOf.get(domain);
      if (names) names.push(name);
      else namesOf.set(domain, [name]);
    }
  }
  const places = new Map<string, number>();
  const values: number[] = [];
  const sets: string[][] = [];
  for (const names of namesOf.values()) {
    const text = JSON.stringify(names);
    const place = places.get(text) ?? sets.push(names) - 1;
    places.set(text, place);
    values.push(place);
  }
  const map = FuseMap.from(namesOf.keys(), values, { errorRate: 0.001 });
  const saved = map.toBytes();
  map.dispose();
  const line = new TextEncoder().encode(`${JSON.stringify(sets)}\n`);
  const file = new Uint8Array(line.length + saved.length);
  file.set(line);
  file.set(saved, line.length);
  return file;
}

/** Makes the function that tells in which lists a domain is: in none, if it is in none of the packed ones. */
export function unpack(file: Uint8Array): (domain: string) => readonly string[] {
  const end = file.indexOf(0x0a);
  const sets: string[][] = JSON.parse(new TextDecoder().decode(file.subarray(0, end)));
  const places = FuseMap.fromBytes(file.subarray(end + 1));
  return (domain) => sets[places.get(domain) ?? -1] ?? [];
}
