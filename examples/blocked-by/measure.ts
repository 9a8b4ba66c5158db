// Packs forty lists of domains, most of them small, which overlap as lists of the same makers do. Asks for all of their
// domains and for others.
//
//   npm run example examples/blocked-by/measure.ts [DOMAINS]

import { printBeside } from '../beside.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { pack, unpack } from './blocked-by.ts';

const DOMAINS = sizeArgument('domains', 200_000);
const LISTS = 40;
/** Most domains are in the lists of one of so many groups; one in ten is in one list more. */
const GROUPS = 60;

const random = seededRandom(1970);
const below = (limit: number): number => Math.floor(random() * limit);
const groups = Array.from({ length: GROUPS }, () => Array.from({ length: 1 + below(4) }, () => below(LISTS)));
const domainOf = (i: number): string => `${Math.imul(i + 1, 0x9e3779b1) >>> 0}.site-${i % 997}.example`;
const lists: Record<string, string[]> = {};
const wanted = new Map<string, string[]>();
for (let i = 0; i < DOMAINS; i++) {
  // Some groups have more domains than others.
  const group = groups[Math.min(below(GROUPS), below(GROUPS))] as number[];
  const numbers = new Set(random() < 0.1 ? [...group, below(LISTS)] : group);
  const names = [...numbers].sort((a, b) => a - b).map((number) => `list-${number}`);
  wanted.set(domainOf(i), names);
  for (const name of names) {
    lists[name] ??= [];
    lists[name].push(domainOf(i));
  }
}

const start = performance.now();
const packed = pack(lists);
const time = performance.now() - start;
const listsOf = unpack(packed);
let wrong = 0;
for (const [domain, names] of wanted) if (listsOf(domain).toSorted().join() !== names.toSorted().join()) wrong++;
let blocked = 0;
for (let i = 0; i < DOMAINS; i++) if (listsOf(domainOf(DOMAINS + i)).length > 0) blocked++;

console.log(`${integer(DOMAINS)} domains in ${LISTS} lists`);
heading('Packed');
row(
  'the map and the sets of lists',
  size(packed.length),
  `${((8 * packed.length) / DOMAINS).toFixed(1)} bits a domain, in ${time.toFixed(0)} ms`,
);
heading('Answered');
row('wrong lists', integer(wrong));
row('other domains in some list', integer(blocked), `${percent(blocked / DOMAINS)}, promised: 0.0977 %`);

const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(wanted)));
const inLists = new TextEncoder().encode(JSON.stringify(lists));
const parse = <T>(file: Uint8Array): T => JSON.parse(new TextDecoder().decode(file));
printBeside(
  [
    { label: 'The map and the sets, which take some more in memory', file: packed, isFile: true, load: unpack },
    {
      label: 'A Map of domains, from JSON',
      file: json,
      load(file) {
        const map = new Map(Object.entries(parse<Record<string, string[]>>(file)));
        return (domain) => map.get(domain);
      },
    },
    {
      label: 'A Set for each list, from JSON',
      file: inLists,
      load(file) {
        const sets = Object.entries(parse<Record<string, string[]>>(file)).map(
          ([name, all]) => [name, new Set(all)] as const,
        );
        return (domain) => sets.filter(([, set]) => set.has(domain)).map(([name]) => name);
      },
    },
  ],
  [...wanted.keys()].slice(0, 20_000),
);
must(wrong === 0, 'every domain is in the lists that have it');
