// What runs the cases: it finds what is wrong, and says how to find it again.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { randomBytes } from './damage/bytes.ts';
import { FuzzError, type FuzzOptions, fuzz, repeat, type Tally } from './run.ts';
import type { Reader } from './subject.ts';

const folder = mkdtempSync(join(tmpdir(), 'bloomery-fuzz-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Refuses an input that begins with a small byte, and fails for one that begins with two bytes of 7. */
function readerWith(name: string, share: number, isLate: boolean): Reader {
  return {
    name,
    share,
    run(subject) {
      const bytes = randomBytes(subject.random, 4);
      subject.input = bytes;
      if (bytes[0] === 7 && bytes[1] === 7) throw new Error('planted');
      const outcome = Number(bytes[0]) < 64 ? 'refused' : 'read';
      return isLate ? Promise.resolve(outcome) : outcome;
    },
  };
}

const early = readerWith('early', 3, false);
const late = readerWith('late', 1, true);

async function failureOf(options: FuzzOptions): Promise<FuzzError> {
  const error = await fuzz([early, late], options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(FuzzError);
  return error as FuzzError;
}

const counts = (tallies: readonly Tally[]) => tallies.map(({ name, read, refused }) => ({ name, read, refused }));

describe('a run', () => {
  it('divides its cases among the readers by their shares', async () => {
    const [one, other] = await fuzz([early, late], { count: 400, seed: 1 });
    expect([one, other].map((tally) => (tally?.read ?? 0) + (tally?.refused ?? 0))).toEqual([300, 100]);
    expect(one?.refused).toBeGreaterThan(30);
    expect(one?.refused).toBeLessThan(150);
  });

  it('makes the same cases of a seed, and others of another one', async () => {
    const [one, same, other] = await Promise.all([1, 1, 2].map((seed) => fuzz([early, late], { count: 400, seed })));
    expect(counts(one ?? [])).toEqual(counts(same ?? []));
    expect(counts(one ?? [])).not.toEqual(counts(other ?? []));
  });

  it('reports a failure with what repeats it, and with its input', async () => {
    const { message, cause, input } = await failureOf({ count: 1e6, seed: 3, folder });
    expect(cause).toMatchObject({ message: 'planted' });
    const [, seed, name, number, path = ''] =
      /--seed (\d+) --only '(\w+)' --case (\d+); its input is in (.+)$/.exec(message) ?? [];
    expect(seed).toBe('3');
    expect(path.startsWith(folder)).toBe(true);
    expect([...readFileSync(path)]).toEqual([...(input as Uint8Array)]);
    expect([...(input as Uint8Array)].slice(0, 2)).toEqual([7, 7]);
    const reader = name === 'early' ? early : late;
    await expect(repeat(reader, 3, Number(number))).rejects.toMatchObject({ input, cause });
    expect(counts([await repeat(reader, 3, Number(number) + 1)])[0]).toMatchObject({ name });
  });

  it('ends when its time is over', async () => {
    const tallies = await fuzz([late, early], { count: 2e9, seed: 1, limit: 0 });
    expect(counts(tallies)).toEqual([late, early].map(({ name }) => ({ name, read: 0, refused: 0 })));
  });

  it('tells its progress', async () => {
    const seen: number[] = [];
    await fuzz([late], {
      count: 200,
      seed: 1,
      onProgress: ([tally]) => seen.push((tally?.read ?? 0) + (tally?.refused ?? 0)),
    });
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => 2 * (i + 1)));
  });
});
