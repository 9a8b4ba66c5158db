// A slice of `npm run fuzz` with a fixed seed, so that it is the same every time.

import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../cli/run.ts';
import { readers } from './readers.ts';
import { fuzz } from './run.ts';
import type { Reader } from './subject.ts';

const { folder, remove } = temporaryFolder();
afterAll(remove);

/** These take any input. */
const TAKE_ALL = ['slots of a cluster', 'lines of a text', 'texts of several files', 'operations of a fingerprint set'];

it.each(readers)('$name: damaged input is refused, or read as what it says', async (reader) => {
  const count = Math.max(200, reader.share / 10);
  const { read, refused } = await fuzz(reader, { count, seed: 1, folder });
  expect(read + refused).toBe(count);
  // Cases are useful only if some of them get past the checks.
  expect(read / count).toBeGreaterThan(0.02);
  if (TAKE_ALL.includes(reader.name)) expect(refused).toBe(0);
  else expect(refused / count).toBeGreaterThan(0.05);
});

it.each([false, true])('a failure is told with its input and what repeats it; late: %s', async (isLate) => {
  const planted = new Error('planted');
  const reader: Reader = {
    name: 'planted',
    share: 1,
    run(subject) {
      subject.input = String(subject.random(100));
      if (subject.input === '7') throw planted;
      return isLate ? Promise.resolve('read') : 'read';
    },
  };
  const error = await fuzz(reader, { count: 1e4, seed: 3, folder }).catch((each: Error) => each);
  expect(error).toMatchObject({ name: 'FuzzError', cause: planted });
  const { groups: { number = '', path = '' } = {} } =
    /--seed 3 --only 'planted' --case (?<number>\d+); its input is in (?<path>.+)$/.exec((error as Error).message) ??
    {};
  expect(readFileSync(path, 'utf8')).toBe('7');
  const options = { seed: 3, count: 1, folder };
  await expect(fuzz(reader, { ...options, first: Number(number) })).rejects.toMatchObject({ cause: planted });
  expect(await fuzz(reader, { ...options, first: Number(number) + 1 })).toMatchObject({ name: 'planted', read: 1 });
});
