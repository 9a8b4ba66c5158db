// Guards users in an SQLite file, asks for names, most of them absent, and rebuilds the filter while requests, insertions
// and removals go on.
//
//   npm run example examples/user-guard/measure.ts [USERS]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../database-guard/sqlite.ts';
import { choose, loadNames, seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { guardUsers } from './user-guard.ts';

const USERS = sizeArgument('users', 100_000);
const CHANGES = Math.floor(USERS / 50);
const REQUESTS = 2 * USERS;

const random = seededRandom(1843);
const { chosen, others } = choose(loadNames(), USERS + CHANGES, random);
const [stored, added] = [chosen.slice(0, USERS), chosen.slice(USERS)];
const removed = stored.slice(0, CHANGES);
const any = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'users-'));
const database = openDatabase(join(folder, 'users.sqlite'));
try {
  database.exec('CREATE TABLE users (name TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN');
  const insert = database.prepare('INSERT INTO users VALUES (?)');
  for (const name of stored) insert.run(name);
  database.exec('COMMIT');
  const remove = database.prepare('DELETE FROM users WHERE name = ?');
  const select = database.prepare('SELECT * FROM users WHERE name = ?');
  const all = database.prepare('SELECT name FROM users');

  const readNames = () => Array.from(all.iterate(), (each) => (each as { name: string }).name);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  // As from a server, an answer takes a turn of the event loop.
  const find = async (name: string) => {
    await turn();
    return select.get(name);
  };
  const users = guardUsers(readNames, find);
  const before = users.filter;
  const truth = others.filter((name) => before.has(name)).length / others.length;
  const isStored = (name: string) => select.get(name) !== undefined;

  let wrong = 0;
  const ask = async (name: string) => {
    // What is stored may change while the request runs.
    const atFirst = isStored(name);
    const found = (await users.get(name)) !== undefined;
    if (found !== atFirst && found !== isStored(name)) wrong++;
  };
  const requests = async (count: number) => {
    for (let left = count; left > 0; left -= 100) {
      await Promise.all(Array.from({ length: 100 }, () => ask(any(random() < 0.1 ? chosen : others))));
    }
  };
  // In steps, so that requests run between them.
  const changes = async (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const [newName = '', oldName = ''] = [added[i], removed[i]];
      await Promise.all([
        users.add(newName, async () => insert.run(newName)),
        users.remove(oldName, async () => remove.run(oldName)),
      ]);
      if (i % 100 === 0) await turn();
    }
  };
  const half = Math.floor(CHANGES / 2);
  const third = Math.floor(REQUESTS / 3);
  await requests(third);
  const { rate, interval, absent } = users.measuredRate;
  await changes(0, half);
  const [old] = await Promise.all([users.rebuild(), changes(half, CHANGES), requests(third)]);
  await requests(third);
  // Ten sign-ups for each of ten names that are taken: the table must refuse them, not the filter.
  const taken = added.slice(-10).flatMap((name) => Array<string>(10).fill(name));
  const signUps = await Promise.allSettled(taken.map(async (name) => users.add(name, async () => insert.run(name))));
  const refused = signUps.filter((each) => each.status === 'rejected' && /UNIQUE/.test(String(each.reason))).length;

  const { asked, rejected, loaded, shared, falsePositives } = users.stats;
  const now = readNames();
  const answers = await Promise.all(now.map((name) => users.get(name)));
  const lost = answers.filter((user) => user === undefined).length;
  const still = removed.filter((name) => users.filter.has(name)).length;
  const same = await Promise.all(Array.from({ length: 10_000 }, () => users.get(now[0] ?? '')));
  const forOne = users.stats.loaded - loaded - now.length;

  console.log(`${integer(USERS)} users in SQLite, ${integer(asked)} requests, a rebuild in the middle`);
  heading('Requests');
  row('answered by the filter', integer(rejected), percent(rejected / asked));
  row('asked of the database', integer(loaded));
  row('that shared a query', integer(shared));
  row('asked in vain', integer(falsePositives));
  row('wrong answers', integer(wrong));
  row('queries for 10,000 requests of one name', integer(forOne));
  heading('The filter');
  row('memory', size(users.filter.byteLength));
  row('absent names that look present', percent(truth), `of all ${integer(others.length)}`);
  row(
    'the same, as measured by requests',
    percent(rate),
    `of ${integer(absent)}; 95 % interval: ${percent(interval[0])} to ${percent(interval[1])}`,
  );
  row('added and removed around the rebuild', integer(CHANGES), 'each');
  row('users that were not found afterwards', integer(lost), `of ${integer(now.length)}`);
  row('removed users that look present', integer(still), `of ${integer(removed.length)}`);
  row('sign-ups that the table refused', integer(refused), `of ${integer(taken.length)} for names that are taken`);
  must(refused === taken.length, 'only the table refuses a name');
  must(wrong === 0 && lost === 0, 'every stored user is found');
  must(old === before && users.filter !== before, 'the filter was replaced');
  must(forOne === 1 && new Set(same).size === 1, 'requests for one name share a query');
  old.dispose();
} finally {
  database.close();
  rmSync(folder, { recursive: true });
}
