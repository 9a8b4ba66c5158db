// A feed that does not repeat what it has shown, with two small filters per user. The younger filter is filled while
// the older one is still looked up. When the younger is full, the older is cleared, and they change places.
//
//   npm run example examples/feed.ts [USERS]

import { BloomFilter } from 'bloomery';
import { heapOf } from '../bench/heap.ts';
import { seededRandom } from './names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from './report.ts';

const USERS = sizeArgument('users', 2000);
/** At least this many of the items that a user saw last are not shown again. */
const WINDOW = 300;
const ERROR_RATE = 0.01;
const VISITS = 40;
const ITEMS = 20_000;
/** How many items are ranked for a visit; SHOWN of them are shown. */
const RANKED = 100;
const SHOWN = 20;

class ShownItems {
  #younger = new BloomFilter({ capacity: WINDOW, errorRate: ERROR_RATE });
  #older = new BloomFilter({ capacity: WINDOW, errorRate: ERROR_RATE });
  #inYounger = 0;
  #inOlder = 0;

  /** The items that were certainly not shown recently, in their order. */
  omitFrom(items: Uint32Array): Uint32Array {
    return this.#older.omit(this.#younger.omit(items));
  }

  add(items: Uint32Array): void {
    // Past its capacity, a filter reports more and more items as shown. So before that, the filter with the older
    // items is cleared and takes its place.
    if (this.#inYounger + items.length > WINDOW) {
      [this.#younger, this.#older] = [this.#older, this.#younger];
      this.#younger.clear();
      this.#inOlder = this.#inYounger;
      this.#inYounger = 0;
    }
    this.#younger.addMany(items);
    this.#inYounger += items.length;
  }

  /** How many of the latest items are held: WINDOW to twice WINDOW, once that many have been added. */
  get remembered(): number {
    return this.#inYounger + this.#inOlder;
  }

  get byteLength(): number {
    return this.#younger.byteLength + this.#older.byteLength;
  }
}

const random = seededRandom(1970);

/** The items for a user's visit, the best first. Popular items come up for all users, again and again. */
function rank(): Uint32Array {
  const ranking = new Set<number>();
  while (ranking.size < RANKED) ranking.add(Math.floor(ITEMS * random() ** 3));
  return Uint32Array.from(ranking);
}

/** A user. To count errors, `last` holds exactly after how many items each item was last shown. */
interface User {
  readonly shown: ShownItems;
  readonly last: Map<number, number>;
  length: number;
}

let filters: ShownItems[] = [];
const heap = heapOf(() => {
  filters = Array.from({ length: USERS }, () => new ShownItems());
  return filters;
});
const users: User[] = filters.map((shown) => ({ shown, last: new Map(), length: 0 }));
const counts = { shown: 0, repeats: 0, absent: 0, leftOut: 0 };

function visit({ shown, last }: User, length: number): number {
  const ranking = rank();
  const offered = shown.omitFrom(ranking);
  const page = offered.subarray(0, SHOWN);
  /** Whether an item is among the last `count` items shown. */
  const isAmong = (item: number, count: number): boolean =>
    (last.get(item) ?? Number.NEGATIVE_INFINITY) >= length - count;

  const absent = ranking.filter((item) => !isAmong(item, shown.remembered));
  const kept = new Set(offered);
  counts.absent += absent.length;
  counts.leftOut += absent.filter((item) => !kept.has(item)).length;
  counts.repeats += page.filter((item) => isAmong(item, WINDOW)).length;
  counts.shown += page.length;

  shown.add(page);
  page.forEach((item, i) => {
    last.set(item, length + i);
  });
  return page.length;
}

for (let i = 0; i < VISITS; i++) for (const user of users) user.length += visit(user, user.length);

const repeatable = users.reduce((sum, { last, length }) => sum + length - last.size, 0);
const bits = filters.reduce((sum, { byteLength }) => sum + byteLength, 0);
const sets = heapOf(() => users.slice(0, 100).map(({ last }) => new Set([...last.keys()].slice(-WINDOW))));
console.log(
  `A feed for ${integer(USERS)} users, each of whom visits ${VISITS} times and sees ${SHOWN} of ${RANKED} items`,
);
heading('Shown');
row('items shown', integer(counts.shown));
row(`repeats within a user's last ${WINDOW}`, integer(counts.repeats));
row('repeats after that, which are allowed', integer(repeatable));
row('ranked items that were not remembered', integer(counts.absent));
row(
  '  of which were left out wrongly',
  integer(counts.leftOut),
  `${percent(counts.leftOut / counts.absent)}: promised ${percent(2 * ERROR_RATE)} at most, by two filters`,
);
heading('Memory for each user');
row('bits of the two filters', size(bits / USERS));
row('objects around them', size(heap / USERS));
row(`a Set of the last ${WINDOW} items alone`, size(sets / 100));
must(counts.repeats === 0, `no item is shown again within the last ${WINDOW}`);
