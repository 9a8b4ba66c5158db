// One cluster of three masters for all tests of a file.

import { afterAll } from 'vitest';
import { Cluster } from './servers.ts';

export const cluster: Cluster = await Cluster.start(3);

/** The names of all keys on all masters. */
export async function keysInCluster(pattern: string): Promise<string[]> {
  const found = await Promise.all(cluster.masters.map((master) => master.send('keys', pattern)));
  return (found.flat() as string[]).toSorted();
}

afterAll(() => cluster.stop());
