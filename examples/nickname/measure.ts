// A server with a sign-up form that asks at each keystroke, and its visitors: counts the queries and the wrong answers.
//
//   npm run example examples/nickname/measure.ts [TAKEN]

import { createServer } from 'node:http';
import { choose, loadNames, seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { type Database, openNicknames } from './nickname.ts';

const TAKEN = sizeArgument('taken nicknames', 300_000);
const VISITORS = Math.min(1000, TAKEN / 10);
/** The form asks from this length on. */
const SHORTEST = 3;

const random = seededRandom(1970);
// Names of npm packages serve as nicknames: people chose them, and they had to be free.
const { chosen: taken, others: free } = choose(loadNames(), TAKEN, random);
const exact = new Set(taken);
let queries = 0;

/** Stands in for a database. */
const database: Database = {
  async *pages() {
    const names = [...exact];
    for (let at = 0; at < names.length; at += 5000) yield names.slice(at, at + 5000);
  },
  async has(name) {
    queries++;
    return exact.has(name);
  },
  async insert(name) {
    const isFree = !exact.has(name);
    exact.add(name);
    return isFree;
  },
};
// The filter is full, so it grows when the first nickname is claimed.
const nicknames = await openNicknames(database, TAKEN);

const server = createServer(async ({ method, url = '' }, response) => {
  const name = new URL(url, 'http://localhost').searchParams.get('name') ?? '';
  const answer = method === 'POST' ? await nicknames.claim(name) : await nicknames.isTaken(name);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const { port } = address;

async function ask(method: 'GET' | 'POST', name: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/?name=${encodeURIComponent(name)}`, { method });
  return response.json();
}

const counts = { requests: 0, taken: 0, wrong: 0, claimed: 0 };

/** Types a nickname, and checks each answer against the exact set. */
async function type(nickname: string): Promise<void> {
  for (let length = SHORTEST; length <= nickname.length; length++) {
    const typed = nickname.slice(0, length);
    const isTaken = await ask('GET', typed);
    counts.requests++;
    if (isTaken) counts.taken++;
    if (isTaken !== exact.has(typed)) counts.wrong++;
  }
}

/** Claims a nickname, which must succeed if it is free, and checks that nobody else can have it now. */
async function signUp(nickname: string): Promise<void> {
  const isFree = !exact.has(nickname);
  if (isFree) counts.claimed++;
  if ((await ask('POST', nickname)) !== isFree || (await ask('POST', nickname))) counts.wrong++;
}

function any(names: readonly string[]): string {
  return names[Math.floor(random() * names.length)] ?? '';
}

for (let visitor = 0; visitor < VISITORS; visitor += 10) {
  const wanted = Array.from({ length: 10 }, (_, i) => any(i % 2 === 0 ? taken : free));
  await Promise.all(wanted.map(type));
  for (const nickname of wanted) await signUp(nickname);
}
server.close();
server.closeAllConnections();

const asked = queries;
const { requests, claimed } = counts;
const saved = requests - asked;
const inVain = nicknames.names.stats.falsePositives;
let lost = 0;
for (const name of exact) if (!(await nicknames.isTaken(name))) lost++;

console.log(`A sign-up form with ${integer(TAKEN)} nicknames taken, and ${integer(VISITORS)} visitors typing`);
heading('Requests');
row('one for each keystroke', integer(requests));
row('answered by the filter: free', integer(saved), `${percent(saved / requests)} of the queries saved`);
row('asked of the database', integer(asked));
row('  taken', integer(counts.taken));
row('  free after all: asked in vain', integer(inVain), `${percent(inVain / (saved + inVain))} of the free ones`);
row('nicknames claimed', integer(claimed));
row('wrong answers', integer(counts.wrong));
row('taken names that look free', integer(lost), `of all ${integer(exact.size)}`);
heading('Memory');
const { filter } = nicknames.names;
row('the filter', size(filter.byteLength), `promised ${percent(filter.errorRate)} in vain`);
row('its capacity', integer(filter.capacity), `made for ${integer(TAKEN)} nicknames, and grown while requests ran`);
must(counts.wrong === 0 && lost === 0, 'the form never gives a wrong answer');
must(filter.capacity > TAKEN, 'the filter grows');
