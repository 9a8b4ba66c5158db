// Measures the ways to keep a filter in Redis, in turns.

import { upperQuantile } from '../../test/shared/binomial.ts';
import { BenchmarkError, inRounds } from '../shared/cli.ts';
import { seeded, shuffle } from '../shared/random.ts';
import { Probe } from './probe.ts';
import { type Batch, type Deployment, ERROR_RATE, type Opened, type Way, ways } from './ways.ts';

const SIZES = [1, 10, 100, 1000, 10_000] as const;
/** The sizes of batches during which another client is watched. */
const WATCHED = [100, 10_000] as const;
const MILLISECONDS = 250;
const MOST_KEYS = 100_000;

/** The cost of a key, in microseconds. */
export interface Cost {
  readonly elapsed: number;
  readonly server: number;
  readonly client: number;
}

export const operations = ['add', 'has'] as const;
export type Operation = (typeof operations)[number];

/** The measurements of one way with batches of one size: a cost for each round. */
export interface Measured {
  readonly way: Way;
  readonly size: number;
  readonly costs: Readonly<Record<Operation, Cost[]>>;
}

/** How long another client waited in each round, in milliseconds. If `way` is undefined, the server was idle. */
interface Watched {
  readonly way: Way | undefined;
  readonly size: number;
  readonly waits: number[][];
}

export interface Result {
  readonly name: string;
  readonly measured: readonly Measured[];
  readonly watched: readonly Watched[];
}

const textOf = (number: number): string => `https://example.org/articles/${number}`;
const numbers = Array.from({ length: MOST_KEYS }, (_, i) => i);
const added: Batch = { numbers, texts: numbers.map(textOf) };
/** The same keys, and after each of them one that is absent. */
const mixedNumbers = numbers.flatMap((number) => [number, MOST_KEYS + number]);
const mixed: Batch = { numbers: mixedNumbers, texts: mixedNumbers.map(textOf) };

interface Timed {
  readonly cost: Cost;
  readonly flags: readonly number[];
}

/** Sends keys, at most `most`, in batches one after the other, until time is up. */
async function time(
  deployment: Deployment,
  keys: Batch,
  most: number,
  size: number,
  send: Opened[Operation],
): Promise<Timed> {
  const answers: ArrayLike<number>[] = [];
  const serverBefore = await deployment.processorTime();
  const clientBefore = process.cpuUsage();
  const start = performance.now();
  let at = 0;
  for (; at < most && performance.now() - start < MILLISECONDS; at += size) {
    const end = Math.min(at + size, most);
    answers.push(await send({ texts: keys.texts.slice(at, end), numbers: keys.numbers.slice(at, end) }));
  }
  const elapsed = 1000 * (performance.now() - start);
  const { user, system } = process.cpuUsage(clientBefore);
  const server = (await deployment.processorTime()) - serverBefore;
  const flags = answers.flatMap((each) => Array.from(each));
  const { length } = flags;
  return { cost: { elapsed: elapsed / length, server: server / length, client: (user + system) / length }, flags };
}

function requireAtMost(count: number, trials: number, what: string): void {
  if (count > upperQuantile(trials, ERROR_RATE)) throw new Error(`${what}: ${count} of ${trials}`);
}

/** Adds keys to an empty filter, looks them up with as many absent ones, and checks all answers. */
async function turn(deployment: Deployment, { name, open }: Way, size: number): Promise<Record<Operation, Cost>> {
  await deployment.flush();
  const filter = await open(deployment);
  const add = await time(deployment, added, added.texts.length, size, filter.add);
  const count = add.flags.length;
  const has = await time(deployment, mixed, 2 * count, size, filter.has);
  requireAtMost(add.flags.filter((flag) => flag !== 1).length, count, `${name}: new keys that looked present`);
  const present = has.flags.filter((_, i) => i % 2 === 0);
  const missed = present.filter((flag) => flag !== 1).length;
  if (missed > 0) throw new BenchmarkError(`${name} did not find ${missed} of ${present.length} present keys`);
  const absent = has.flags.filter((_, i) => i % 2 === 1);
  requireAtMost(absent.filter((flag) => flag === 1).length, absent.length, `${name}: absent keys that looked present`);
  return { add: add.cost, has: has.cost };
}

async function watch(deployment: Deployment, probe: Probe, { way, size, waits }: Watched): Promise<void> {
  await deployment.flush();
  const filter = await way?.open(deployment);
  const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, MILLISECONDS));
  const work = filter ? () => time(deployment, added, MOST_KEYS, size, filter.add) : idle;
  waits.push(await probe.during(work));
}

/** Measures all ways in turns, in a new order in each round. The first round only warms up. */
export async function measureAll(deployment: Deployment, rounds: number): Promise<Result> {
  const random = seeded();
  const measured = ways.flatMap((way) => SIZES.map((size): Measured => ({ way, size, costs: { add: [], has: [] } })));
  const watched = [
    { way: undefined, size: 0, waits: [] },
    ...ways.flatMap((way) => WATCHED.map((size): Watched => ({ way, size, waits: [] }))),
  ];
  const probe = new Probe(deployment.port);
  try {
    for (const round of inRounds(deployment.name, rounds)) {
      for (const { way, size, costs } of shuffle([...measured], random)) {
        const cost = await turn(deployment, way, size);
        if (round > 0) for (const operation of operations) costs[operation].push(cost[operation]);
      }
      for (const each of shuffle([...watched], random)) {
        await watch(deployment, probe, round > 0 ? each : { ...each, waits: [] });
      }
    }
    return { name: deployment.name, measured, watched };
  } finally {
    probe.close();
  }
}
