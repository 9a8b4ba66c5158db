// Users who visit a feed again and again: counts repeats, and items left out though they were not shown.
//
//   npm run example examples/feed/measure.ts [USERS]

import { heapOf } from '../../bench/shared/machine.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { ShownItems } from './feed.ts';

const USERS = sizeArgument('users', 2000);
const WINDOW = 300;
/** How many of the last items may still be remembered. */
const MOST = (4 / 3) * WINDOW;
const VISITS = 40;
const ITEMS = 20_000;
/** How many items are ranked for a visit; SHOWN of them are shown. */
const RANKED = 100;
const SHOWN = 20;

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

const counts = { shown: 0, repeats: 0, absent: 0, leftOut: 0 };

function visit(user: User): void {
  const { shown, last, length } = user;
  const ranking = rank();
  const offered = shown.omitFrom(ranking);
  const page = offered.subarray(0, SHOWN);
  /** Whether an item is among the last `count` items shown. */
  const isAmong = (item: number, count: number): boolean =>
    (last.get(item) ?? Number.NEGATIVE_INFINITY) >= length - count;

  const absent = ranking.filter((item) => !isAmong(item, MOST));
  const kept = new Set(offered);
  counts.absent += absent.length;
  counts.leftOut += absent.filter((item) => !kept.has(item)).length;
  counts.repeats += page.filter((item) => isAmong(item, WINDOW)).length;
  counts.shown += page.length;

  shown.add(page);
  page.forEach((item, i) => {
    last.set(item, length + i);
  });
  user.length += page.length;
}

let filters: ShownItems[] = [];
const heap = heapOf(() => {
  filters = Array.from({ length: USERS }, () => new ShownItems(WINDOW));
  return filters;
});
const users: User[] = filters.map((shown) => ({ shown, last: new Map(), length: 0 }));
for (let i = 0; i < VISITS; i++) users.forEach(visit);

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
row(`ranked items not among the last ${MOST}`, integer(counts.absent));
const wrongly = counts.leftOut / counts.absent;
row('  of which were left out wrongly', integer(counts.leftOut), `${percent(wrongly)}: promised 1 % at most`);
heading('Memory for each user');
row('bits of the filter', size(bits / USERS));
row('objects around them', size(heap / USERS));
row(`a Set of the last ${WINDOW} items alone`, size(sets / 100));
must(counts.repeats === 0, `no item is shown again within the last ${WINDOW}`);
