// A slice of `npm run fuzz` with a fixed seed, so that it is the same every time.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readers } from './readers.ts';
import { type FuzzError, fuzz, repeat } from './run.ts';
import type { Reader } from './subject.ts';

/** These take any input. */
const TAKE_ALL = ['slots of a cluster', 'texts of several files'];

it.each(readers)('$name: damaged input is refused, or read as what it says', async (reader) => {
  const count = Math.max(200, reader.share / 10);
  const [tally] = await fuzz([reader], { count, seed: 1 });
  const { read = 0, refused = 0 } = tally ?? {};
  expect(read + refused).toBe(count);
  // Cases are useful only if some of them get past the checks.
  expect(read / count).toBeGreaterThan(0.02);
  if (TAKE_ALL.includes(reader.name)) expect(refused).toBe(0);
  else expect(refused / count).toBeGreaterThan(0.05);
});

it('readers have names of their own', () => {
  expect(new Set(readers.map(({ name }) => name)).size).toBe(readers.length);
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
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-fuzz-test-'));
  const error = await fuzz([reader], { count: 1e4, seed: 3, folder }).catch((each: FuzzError) => each);
  expect(error).toMatchObject({ name: 'FuzzError', input: '7', cause: planted });
  const [, seed, number, path] =
    /--seed (\d+) --only 'planted' --case (\d+); its input is in (.+)$/.exec((error as FuzzError).message) ?? [];
  expect([seed, readFileSync(path as string, 'utf8')]).toEqual(['3', '7']);
  await expect(repeat(reader, 3, Number(number))).rejects.toMatchObject({ input: '7', cause: planted });
  expect(await repeat(reader, 3, Number(number) + 1)).toMatchObject({ name: 'planted', read: 1 });
  rmSync(folder, { recursive: true });
});
