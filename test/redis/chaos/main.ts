// Breaks a cluster while four writers use a filter on it, each with another client: `npm run chaos -- --seconds 600`.
// Fails if a key that replicas had confirmed is then absent without an error, or is told to be new twice, or if `check`
// does not name what an event has done to a filter, or names something else.

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adapterOf } from '../../../src/entries/redis.ts';
import { integerOf, optionsOf } from '../../shared/options.ts';
import { randomFrom } from '../../shared/random.ts';
import { connect, libraries } from '../clients.ts';
import { Cluster } from '../servers.ts';
import { Victim } from './events.ts';
import { Witness } from './witness.ts';
import type { Plan, Report } from './writer.ts';

const USAGE = `Usage: npm run chaos -- [--seconds 600] [--seed 1] [--harmless]

Breaks a cluster while four writers use a filter on it. --seed is that of all random choices. --harmless leaves out the
events that lose keys.`;

const { values } = optionsOf(USAGE, {
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    harmless: { type: 'boolean', default: false },
  },
});
const seed = integerOf('--seed', values.seed, 0, USAGE);
const seconds = integerOf('--seconds', values.seconds, 1, USAGE);
const random = randomFrom(seed);

const cluster = await Cluster.start(3, { replicated: true, options: ['--appendonly', 'yes'] });
const { client } = await connect('ioredis', cluster.ports, { cluster: true });
const adapter = adapterOf(client);
const set = (key: string, value: string): Promise<unknown> =>
  adapter.send(key, ['set', key, value, 'px', '10000'], { readOnly: false, binary: false });
const victim = new Victim(cluster, random, set);
const witness = new Witness(client);
await witness.fill();

const next = <T>(writer: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    writer.once('message', (message) => resolve(message as T));
    writer.once('exit', (code) => reject(new Error(`a writer ended with ${code}`)));
  });
const writers = libraries.map((library, i) => {
  const plan: Plan = { library, ports: cluster.ports, seed: 10 * seed + i };
  return fork(join(import.meta.dirname, 'writer.ts'), [JSON.stringify(plan)]);
});
await Promise.all(writers.map((writer) => next(writer)));
const start = Date.now();
const end = start + 1000 * seconds;
const reports = Promise.all(
  writers.map((writer) => {
    writer.send({ start, end });
    return next<Report>(writer);
  }),
);

/** The events, and when each began. */
const happened: [name: string, time: number][] = [];
const secondsOf = (time: number): string => ((time - start) / 1000).toFixed(1);
const all = Object.entries({ ...victim.harmless, ...(values.harmless ? {} : victim.harmful) });
let left: typeof all = [];
let failures = 0;
while (Date.now() < end - 10_000) {
  if (left.length === 0) left = all.toSorted(() => random(3) - 1);
  const [name, happen] = left.pop() as (typeof all)[number];
  happened.push([name, Date.now()]);
  console.log(secondsOf(Date.now()), name);
  try {
    await happen();
  } catch (error) {
    const { message, cause } = error as Error;
    console.log('  it failed:', message.slice(0, 200), cause ?? '');
  }
  await victim.recovers().catch(async () => {
    await victim.fix();
    // A cluster that is not whole tells nothing of filters: that ends the program.
    await victim.recovers();
  });
  for (const wrong of await witness.judge(name)) {
    failures++;
    console.log('  WRONG:', wrong);
  }
  await sleep(500 + random(700));
}

const results = await reports;
for (const { library, absences, news, ...rest } of results) {
  console.log(`${library}: ${JSON.stringify(rest)}`);
  for (const { count, first, isConfirmed, time } of absences) {
    const before = happened.filter((event) => event[1] < time).slice(-2);
    const after = before.map(([name, began]) => `${secondsOf(began)} ${name}`).join(', ');
    console.log(
      `  ${secondsOf(time)} ${count} absent, first ${first}, ${isConfirmed ? '' : 'not '}on replicas; after ${after}`,
    );
    if (isConfirmed) failures += count;
  }
  for (const [code, count] of Object.entries(rest.codes)) if (code.startsWith('UNHANDLED')) failures += count;
}
const told = results.flatMap(({ news }) => news.map(([origin, number]) => `${origin} ${number}`));
const twice = told.length - new Set(told).size;
console.log(`${happened.length} events; ${told.length} shared keys confirmed to be new, ${twice} of them twice`);
for (const server of cluster.servers) server.resume();
cluster.stop();
if (failures > 0) console.log(`${failures} confirmed keys absent, errors unhandled, or wrong words of check`);
process.exit(failures + twice > 0 ? 1 : 0);
