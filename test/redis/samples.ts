// What tests share, whatever servers they have.

import type { RedisFilterReport } from '../../src/entries/redis.ts';

/** Four pieces in four slots, and two more slots with lists. */
export const SIZE = { capacity: 10_000 };
export const ROTATING = { ...SIZE, window: 3_600_000 };
export const keys: string[] = Array.from({ length: 300 }, (_, i) => `key ${i}`);

/** The status of a report, and its problems in short. */
export const told = ({ status, problems }: RedisFilterReport): string[] => [
  status,
  ...problems.map(({ code, level }) => `${code} ${level}`),
];
