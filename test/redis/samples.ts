// What tests share, whatever servers they have.

import { onTestFinished } from 'vitest';
import type { RedisFilterReport } from '../../src/entries/redis.ts';

/** Four pieces in four slots, and two more slots with lists. */
export const SIZE = { capacity: 10_000 };
export const ROTATING = { ...SIZE, window: 3_600_000 };
export const keys: string[] = Array.from({ length: 300 }, (_, i) => `key ${i}`);

let names = 0;

/** A name that no other test of a file has. */
export const newName = (): string => `filter:${names++}`;

/** The status of a report, and its problems in short. */
export const told = ({ status, problems }: RedisFilterReport): string[] => [
  status,
  ...problems.map(({ code, level }) => `${code} ${level}`),
];

/** Waits for a client or a server, which ends with the test. */
export async function forTest<T extends { close(): void } | { stop(): void }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(() => ('stop' in started ? started.stop() : started.close()));
  return started;
}
