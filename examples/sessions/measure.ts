// Users who log in and out, requests with their ids, and requests with ids that are stale or forged.
//
//   npm run example examples/sessions/measure.ts [SESSIONS]

import { heapOf } from '../../bench/shared/machine.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { type SessionStore, Sessions } from './sessions.ts';

const SESSIONS = sizeArgument('sessions', 100_000);
const REQUESTS = 5 * SESSIONS;

const random = seededRandom(1970);
/** A string of 128 random bits. A real one comes from `crypto.randomUUID()`. */
const makeId = (): string =>
  Array.from({ length: 4 }, () =>
    Math.floor(2 ** 32 * random())
      .toString(16)
      .padStart(8, '0'),
  ).join('');

/** A store that counts its queries. */
class Table implements SessionStore {
  readonly #users = new Map<string, string>();
  queries = 0;

  insert(id: string, user: string): void {
    if (this.#users.has(id)) throw new Error('there is such a session');
    this.#users.set(id, user);
  }

  find(id: string): string | undefined {
    this.queries++;
    return this.#users.get(id);
  }

  delete(id: string): boolean {
    return this.#users.delete(id);
  }

  ids(): Iterable<string> {
    return this.#users.keys();
  }
}

const table = new Table();
// Half of all stay open in the end, so the filter gets full along the way, and is made anew.
const sessions = new Sessions(table, Math.ceil(SESSIONS / 4));
const all = Array.from({ length: SESSIONS }, makeId);
const [open, stale]: [string[], string[]] = [[], []];
for (const [i, id] of all.entries()) {
  sessions.login(id, `user ${i}`);
  open.push(id);
  // Every second login, someone leaves.
  if (i % 2 === 0) continue;
  const at = Math.floor(random() * open.length);
  const [left] = open.splice(at, 1) as [string];
  sessions.logout(left);
  stale.push(left);
}

let wrong = 0;
let answered = 0;
let inVain = 0;
let absent = 0;
const isOpen = new Set(open);
for (let i = 0; i < REQUESTS; i++) {
  const kinds = [() => open, () => stale, () => [makeId()]];
  const ids = (kinds[i % 3] as () => string[])();
  const id = ids[Math.floor(random() * ids.length)] as string;
  const before = table.queries;
  const user = sessions.userOf(id);
  const asked = table.queries > before;
  if ((user !== undefined) !== isOpen.has(id)) wrong++;
  if (isOpen.has(id)) continue;
  absent++;
  if (asked) inVain++;
  else answered++;
}

console.log(`${integer(SESSIONS)} logins, ${integer(stale.length)} logouts, ${integer(REQUESTS)} requests`);
heading('Requests with ids that are stale or forged');
row('refused by the filter', integer(answered), percent(answered / absent));
row('asked of the store in vain', integer(inVain), percent(inVain / absent));
heading('All requests');
row('wrong answers', integer(wrong));
row('open sessions', integer(open.length), `the filter counts ${integer(sessions.count)}`);
heading('Memory');
row('the filter', size(sessions.byteLength));
row('a Set of the open ids', size(heapOf(() => new Set(open.map((id) => Buffer.from(id).toString('latin1'))))));
must(wrong === 0, 'every open session is found, and no other');
must(sessions.count === open.length, 'the filter holds each open session once');
