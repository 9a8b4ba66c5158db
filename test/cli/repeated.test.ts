import { writeFileSync } from 'node:fs';
import { hashKeys } from 'bloomery/hash';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { growingSeen, type Selecting } from '../../cli/filters/seen.ts';
import { told, workInFolder } from './run.ts';

workInFolder();

/** The keys that come twice or more, in the order of their second occurrence, and how often they come. */
function repeatedIn(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const repeated = new Map<string, number>();
  for (const key of keys) {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > 1) repeated.set(key, count);
  }
  return repeated;
}

describe('dedupe --repeated', () => {
  it.each([
    ['', 'a\nb\na\nc\r\na\nb\r\n\nc\nd\n\n', 0, 'a\nb\r\nc\n\n'],
    ['-f 2', 'u1\ta\nu2\tb\nu3\ta\nu4\ta\n', 0, 'u3\ta\n'],
    ['', 'a\nb\n', 1, ''],
    ['--count --allow-none', 'a\nb\n', 0, ''],
    // As uniq does.
    ['-c', 'a\nb\na\nc\na\nb', 0, '      3 a\n      2 b'],
    ['plain marked', '', 0, '\ufeffa\n'],
    // No byte order mark comes after a count.
    ['-c plain marked', '', 0, '      2 a\n'],
  ])(
    'prints each line that comes again, at its second occurrence, or how often: %s of %j',
    async (options, text, code, expected) => {
      writeFileSync('plain', 'a\n');
      writeFileSync('marked', '\ufeffa\n');
      expect(await told(`dedupe --repeated ${options}`, text)).toEqual([code, expected, '']);
    },
  );

  it.each([1, 2])('counts many lines, in several files too: %i threads', async (threads) => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `key ${(i * i) % 27_644_437} ${'x'.repeat(1 + (i % 40))}`);
    const all = [...keys, ...keys.slice(0, 30_000), ...keys.slice(0, 10_000)];
    writeFileSync('first', all.slice(0, 70_000).join('\n'));
    writeFileSync('second', all.slice(70_000).join('\n'));
    const printed = async (option: string): Promise<string[]> =>
      (await told(`dedupe --repeated ${option} --threads ${threads} first second`))[1].trimEnd().split('\n');
    const repeated = [...repeatedIn(all)];
    expect(await printed('')).toEqual(repeated.map(([key]) => key));
    expect(await printed('-c')).toEqual(repeated.map(([key, count]) => `${String(count).padStart(7)} ${key}`));
  });

  it.each([
    ['--count', '--count needs --repeated, because lines that come once are known only when the text has ended'],
    ['--repeated --seen none -n 9', '--repeated does not go with --seen: a filter keeps which lines'],
    ['--repeated --last 9', '--repeated does not go with --last: a line that is forgotten would be printed again'],
    ['--repeated --max-memory 9M', '--repeated does not go with --max-memory: it bounds only what keeps lines'],
  ])('is refused where it cannot be told: %s', async (options, message) => {
    expect(await told(`dedupe ${options}`, 'a\na\n')).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('repeated lines', () => {
  const text = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 50 }), { maxLength: 6 });

  it('are selected once and counted exactly, however many filters they take', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (batches, capacity) => {
        const seen = () => growingSeen(capacity, 1e-12, Number.POSITIVE_INFINITY);
        const [repeated, counted] = [new Repeated(seen(), seen()), new Counted(seen())];
        const selectedBy = (selecting: Selecting): string[] =>
          batches.flatMap((batch) => {
            const keys = batch.map((key) => `key ${key}`);
            const flags = selecting.flag(hashKeys(keys, { seed: selecting.seed }));
            return keys.filter((_, i) => flags[i] === 1);
          });
        const expected = repeatedIn(batches.flat().map((key) => `key ${key}`));
        expect(selectedBy(repeated)).toEqual([...expected.keys()]);
        expect(selectedBy(counted)).toEqual([...expected.keys()]);
        expect([...expected.keys()].map((_, i) => counted.countOf(i))).toEqual([...expected.values()]);
        expect([repeated.count, counted.count]).toEqual([expected.size, expected.size]);
      }),
    );
  });
});
