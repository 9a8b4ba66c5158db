// What others wait for while a whole filter is made, read, written or deleted.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockedBloomFilter } from 'bloomery';
import { RedisBloomFilter } from 'bloomery/redis';
import { inRounds } from '../shared/cli.ts';
import { Probe } from './probe.ts';
import type { Deployment } from './ways.ts';

/** What one operation took, in milliseconds. */
export interface Move {
  /** The slowest command on the server. */
  readonly command: number;
  /** The longest that another client waited for an answer. */
  readonly wait: number;
  /** The longest that the event loop of this process stood still. */
  readonly stall: number;
  readonly elapsed: number;
  /** Processor time of the server. */
  readonly server: number;
  /** Processor time of this process. */
  readonly client: number;
}

export interface Moves {
  readonly operation: string;
  /** One for each round. */
  readonly moves: Move[];
}

const MAX = 4096;

/** The slowest command since the last `slowlog reset`. */
async function slowestOf(deployment: Deployment): Promise<number> {
  const entries = (await deployment.send('slowlog', 'get', String(MAX))) as [number, number, number][];
  return Math.max(0, ...entries.map(([, , microseconds]) => microseconds / 1000));
}

async function measure(deployment: Deployment, probe: Probe, work: () => Promise<unknown>): Promise<Move> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await deployment.send('slowlog', 'reset');
  const serverBefore = await deployment.processorTime();
  const clientBefore = process.cpuUsage();
  let elapsed = 0;
  const waits = await probe.during(async () => {
    const start = performance.now();
    delay.enable();
    await work();
    // A stall at the end is seen by the next timer.
    await sleep(5);
    delay.disable();
    elapsed = performance.now() - start;
  });
  const { user, system } = process.cpuUsage(clientBefore);
  return {
    command: await slowestOf(deployment),
    wait: Math.max(0, ...waits),
    stall: delay.max / 1e6,
    elapsed,
    server: ((await deployment.processorTime()) - serverBefore) / 1000,
    client: (user + system) / 1000,
  };
}

/** Measures each operation on a filter of some bytes. The first round only warms up. */
export async function measureMoves(deployment: Deployment, rounds: number, byteLength: number): Promise<Moves[]> {
  await deployment.send('config', 'set', 'slowlog-log-slower-than', '200', 'slowlog-max-len', String(MAX));
  const { client } = deployment;
  const bits = 256 * Math.ceil(byteLength / 32);
  const local = new BlockedBloomFilter({ bits });
  // Each part has some keys.
  local.addMany(Uint32Array.from({ length: Math.ceil(byteLength / 1000) }, (_, i) => i));
  let filter: RedisBloomFilter | undefined;
  const opened = (): RedisBloomFilter => filter as RedisBloomFilter;
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    nothing: () => sleep(1000),
    open: async () => {
      filter = await RedisBloomFilter.open(client, 'moved', { bits });
    },
    merge: () => opened().merge(local),
    fillRatio: () => opened().fillRatio(),
    toLocal: async () => {
      const copy = await opened().toLocal();
      copy.dispose();
    },
    fromLocal: () => RedisBloomFilter.fromLocal(client, 'moved', local, { replace: true }),
    clear: () => opened().clear(),
    delete: () => opened().delete(),
  };
  const measured = Object.keys(work).map((operation): Moves => ({ operation, moves: [] }));
  const probe = new Probe(deployment.port);
  try {
    for (const round of inRounds('moves', rounds)) {
      await deployment.flush();
      for (const { operation, moves } of measured) {
        const move = await measure(deployment, probe, work[operation] as () => Promise<unknown>);
        if (round > 0) moves.push(move);
      }
    }
  } finally {
    probe.close();
    local.dispose();
  }
  return measured;
}
