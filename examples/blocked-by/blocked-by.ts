// Which of up to forty lists block a domain? One map has the answer for all of them: each domain has the number of a set
// of lists, and the sets are few.
//
//   writeFileSync('blocked-by.json', JSON.stringify(pack({ ads: [...], scam: [...] })));    // when a list changes
//
//   const listsOf = unpack(JSON.parse(text));
//   listsOf('scam.example'); // ['scam']

import { FuseMap } from 'bloomery/fuse-map';

export interface Packed {
  /** The map, from a domain to the place of its set. */
  readonly map: Uint8Array<ArrayBuffer>;
  /** The sets of lists that some domain is in, by their names. */
  readonly sets: readonly (readonly string[])[];
}

/** Packs lists of domains, by their names. 1 other domain in 1024 is said to be in the lists of some set. */
export function pack(lists: Readonly<Record<string, Iterable<string>>>): Packed {
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
  return { map: saved, sets };
}

/** Makes the function that tells in which lists a domain is: in none, if it is in none of the packed ones. */
export function unpack({ map, sets }: Packed): (domain: string) => readonly string[] {
  const places = FuseMap.fromBytes(map);
  return (domain) => sets[places.get(domain) ?? -1] ?? [];
}
