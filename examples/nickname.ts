// A sign-up form that shows at each keystroke whether the nickname is taken. The server asks a filter first, and the
// database only if the filter says "maybe".
//
//   npm run example examples/nickname.ts [TAKEN]

import { createServer } from 'node:http';
import { BloomFilter } from 'bloomery';
import { choose, loadNames, seededRandom } from './names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from './report.ts';

const TAKEN = sizeArgument('taken nicknames', 300_000);
const VISITORS = Math.min(1000, TAKEN / 10);
const ERROR_RATE = 0.01;
/** The form asks from this length on. */
const SHORTEST = 3;

const random = seededRandom(1970);
// Names of npm packages serve as nicknames: people chose them, and they had to be free.
const { chosen: taken, others: free } = choose(loadNames(), TAKEN, random);

/** Stands in for the database: exact, and counts its queries. */
const database = {
  nicknames: new Set(taken),
  queries: 0,
  async has(name: string): Promise<boolean> {
    this.queries++;
    return this.nicknames.has(name);
  },
};
const filter = BloomFilter.from(taken, { errorRate: ERROR_RATE });

async function isTaken(name: string): Promise<boolean> {
  return filter.has(name) && (await database.has(name));
}

const server = createServer(async ({ url = '' }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const name = searchParams.get('name');
  if (pathname !== '/taken' || name === null) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ name, taken: await isTaken(name) }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const endpoint = `http://127.0.0.1:${address.port}/taken`;

/** The names that a visitor's form asks about while the nickname is being typed. */
function* keystrokes(nickname: string): Generator<string> {
  for (let length = SHORTEST; length <= nickname.length; length++) yield nickname.slice(0, length);
}

function any(names: readonly string[]): string {
  return names[Math.floor(random() * names.length)] ?? '';
}

const counts = { requests: 0, taken: 0, wrong: 0 };

/** Types a nickname, taken or free, and checks each answer against the exact set. */
async function visit(nickname: string): Promise<void> {
  for (const typed of keystrokes(nickname)) {
    const response = await fetch(`${endpoint}?name=${encodeURIComponent(typed)}`);
    const answer = (await response.json()) as { taken: boolean };
    counts.requests++;
    if (answer.taken) counts.taken++;
    if (answer.taken !== database.nicknames.has(typed)) counts.wrong++;
  }
}

for (let visitor = 0; visitor < VISITORS; visitor += 10) {
  await Promise.all(Array.from({ length: 10 }, (_, i) => visit(any(i % 2 === 0 ? taken : free))));
}
server.close();
server.closeAllConnections();

const saved = counts.requests - database.queries;
const inVain = database.queries - counts.taken;
console.log(`A sign-up form with ${integer(TAKEN)} nicknames taken, and ${integer(VISITORS)} visitors typing`);
heading('Requests');
row('one for each keystroke', integer(counts.requests));
row('answered by the filter: free', integer(saved), `${percent(saved / counts.requests)} of the queries saved`);
row('asked of the database', integer(database.queries));
row('  taken', integer(counts.taken));
row('  free after all: asked in vain', integer(inVain), `${percent(inVain / (saved + inVain))} of the free ones`);
row('wrong answers', integer(counts.wrong));
heading('Memory');
row('the filter', size(filter.byteLength), `promised ${percent(ERROR_RATE)} in vain`);
must(counts.wrong === 0, 'the form never gives a wrong answer');
