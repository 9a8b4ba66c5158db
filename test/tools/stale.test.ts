import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { isStale } from '../../tools/stale.ts';
import { temporaryFolder } from '../cli/run.ts';

it('what was built is stale if a part of it is missing, or older than anything that it is made of', () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const write = (name: string, time: number): void => {
    writeFileSync(path(name), '');
    utimesSync(path(name), time, time);
  };
  const isOld = (...outputs: string[]): boolean => isStale(outputs.map(path), [path('from')]);
  mkdirSync(path('from'));
  for (const [name, time] of [
    ['from/a', 10],
    ['from/b', 20],
    ['one', 20],
    ['other', 30],
  ] as const)
    write(name, time);
  utimesSync(path('from'), 15, 15);
  expect([isOld('one', 'other'), isOld('other', 'missing')]).toEqual([false, true]);
  write('from/b', 21);
  expect([isOld('other', 'one'), isOld('other')]).toEqual([true, false]);
  // Only the time of the folder tells that a file was removed.
  rmSync(path('from/b'));
  utimesSync(path('from'), 31, 31);
  expect(isOld('other')).toBe(true);
});
