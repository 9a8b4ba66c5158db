// Moves a filter from a server to a cluster of three, which it starts, while three clients add keys and look them up, and
// kills the program that moves it at each of its steps. Needs redis-server.
//
//   npm run example examples/redis-move/measure.ts [KEYS]

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { RedisBloomFilter } from 'bloomery/redis';
import { connect } from '../../test/redis/clients.ts';
import { Cluster, Server } from '../../test/redis/servers.ts';
import { heading, integer, must, row, sizeArgument } from '../report.ts';
import type { Work } from './process.ts';
import { MovingFilter } from './redis-move.ts';

const KEYS = sizeArgument('keys', 10_000);
const CLIENTS = 3;
const NAME = 'seen';
/** For how many milliseconds a phase is relied on. */
const PERIOD = 100;

/**
 * Runs the program that moves the filter, and kills it in the midst of the first step at which it was not killed yet.
 *
 * @returns whether it has come to its end
 */
async function runMove(work: Work, killedAt: Set<string>): Promise<boolean> {
  const child = fork(join(import.meta.dirname, 'process.ts'), [JSON.stringify(work)]);
  child.on('message', (message) => {
    const step = String(message);
    child.send('go on');
    if (!killedAt.has(step)) setTimeout(() => child.kill('SIGKILL'), 2);
    killedAt.add(step);
  });
  const [code] = await once(child, 'exit');
  if (code !== null && code !== 0) throw new Error(`the program ended with ${code}`);
  return code === 0;
}

/** What the clients have seen. */
interface Seen {
  /** The keys that were added. */
  readonly added: string[];
  /** How many clients were told that a key was new, for each key that all add. */
  readonly newTo: number[];
  checks: number;
  absent: number;
}

const server = await Server.start();
const cluster = await Cluster.start(3);
try {
  const old = await connect('redis', [server.port]);
  await RedisBloomFilter.open(old.client, NAME, { capacity: 1_000_000, errorRate: 1e-5 });
  const seen: Seen = { added: [], newTo: [], checks: 0, absent: 0 };
  const connections = await Promise.all(
    Array.from({ length: CLIENTS }, async () => ({
      old: await connect('redis', [server.port]),
      next: await connect('redis', cluster.ports, { cluster: true }),
    })),
  );
  const filters = connections.map(({ old, next }) => new MovingFilter(old.client, next.client, NAME, PERIOD));
  let isMoved = false;

  /** Adds a key by all clients at once, and looks up earlier ones, until the filter is moved. */
  const use = async (): Promise<void> => {
    for (let i = 0; !isMoved || seen.added.length < KEYS; i++) {
      const answers = await Promise.all(filters.map((filter) => filter.add(`key ${i}`)));
      seen.newTo.push(answers.filter(Boolean).length);
      seen.added.push(`key ${i}`);
      const some = filters.map((filter, n) => filter.has(`key ${n === 0 ? i : Math.floor((i * n) / CLIENTS)}`));
      for (const isThere of await Promise.all(some)) {
        seen.checks++;
        if (!isThere) seen.absent++;
      }
    }
  };

  const using = use();
  const work = { from: server.port, to: cluster.ports, name: NAME, period: PERIOD };
  const killedAt = new Set<string>();
  while (!isMoved) isMoved = await runMove(work, killedAt);
  await using;
  const last = await Promise.all(seen.added.map((key) => filters[0]?.has(key)));

  console.log(
    `A filter moved from a server to a cluster of ${cluster.masters.length}, while ${CLIENTS} clients use it`,
  );
  heading('Moved');
  row('times that the program was killed', integer(killedAt.size), [...killedAt].join(', '));
  heading('Used meanwhile');
  row('keys added by all clients', integer(seen.added.length));
  row('lookups of keys that were added', integer(seen.checks + last.length));
  const absent = seen.absent + last.filter((isThere) => !isThere).length;
  row('of which absent', integer(absent));
  row('keys new to two clients', integer(seen.newTo.filter((count) => count > 1).length));
  row('keys new to none', integer(seen.newTo.filter((count) => count === 0).length), 'around a change of the phase');
  must(absent === 0, 'a key that was added is never absent');
  must(!seen.newTo.some((count) => count > 1), 'no key is new to two clients');
  must(!(await RedisBloomFilter.delete(old.client, NAME)), 'nothing is left on the old server');
  for (const each of connections) {
    each.old.close();
    each.next.close();
  }
  old.close();
} finally {
  server.stop();
  cluster.stop();
}
