import { writeFileSync } from 'node:fs';
import { hashKeys } from 'bloomery/hash';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { growingSeen, type Selecting } from '../../cli/filters/seen.ts';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

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
  it('prints each line that comes again, at its second occurrence', async () => {
    const text = 'a\nb\na\nc\r\na\nb\r\n\nc\nd\n\n';
    expect(await runOn(text, 'dedupe', '--repeated')).toEqual({
      code: 0,
      stdout: Buffer.from('a\nb\r\nc\n\n'),
      stderr: '',
    });
    const fields = 'u1\ta\nu2\tb\nu3\ta\nu4\ta\n';
    expect((await runOn(fields, 'dedupe', '--repeated', '-f', '2')).stdout.toString()).toBe('u3\ta\n');
  });

  it('exits with 1 if no line comes again', async () => {
    expect(await runOn('a\nb\n', 'dedupe', '--repeated')).toEqual({ code: 1, stdout: Buffer.alloc(0), stderr: '' });
    expect((await runOn('a\nb\n', 'dedupe', '--repeated', '--count', '--allow-none')).code).toBe(0);
  });

  it.each([[[]], [['--count']]])('takes only a few lines for repeated ones: with %j', async (args) => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i}\n`).join('');
    const { stdout } = await runOn(lines, 'dedupe', '--repeated', '-p', '0.001', '-n', '1000', ...args);
    const wrong = stdout.toString().split('\n').length - 1;
    // 200 are expected at most. The bound is four standard deviations above.
    expect(wrong).toBeLessThan(200 + 4 * Math.sqrt(200));
    expect(wrong).toBeGreaterThan(0);
  });
});

describe('dedupe --repeated --count', () => {
  it('prints at the end how often these lines came, as uniq does', async () => {
    const { code, stdout } = await runOn('a\nb\na\nc\na\nb', 'dedupe', '--repeated', '-c');
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: '      3 a\n      2 b' });
  });

  it('prints no byte order mark behind a count', async () => {
    writeFileSync(path('plain'), 'a\n');
    writeFileSync(path('marked'), '\ufeffa\n');
    const args = ['dedupe', '--repeated', path('plain'), path('marked')];
    expect((await run(...args)).stdout.toString()).toBe('\ufeffa\n');
    expect((await run(...args, '-c')).stdout.toString()).toBe('      2 a\n');
  });

  it.each(['1', '2'])('counts many lines, in several files too: %s threads', async (threads) => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `key ${(i * i) % 27_644_437} ${'x'.repeat(1 + (i % 40))}`);
    const all = [...keys, ...keys.slice(0, 30_000), ...keys.slice(0, 10_000)];
    writeFileSync(path('first'), all.slice(0, 70_000).join('\n'));
    writeFileSync(path('second'), all.slice(70_000).join('\n'));
    const args = ['dedupe', '--repeated', '--threads', threads, path('first'), path('second')];
    const repeated = [...repeatedIn(all)];
    expect((await run(...args)).stdout.toString().trimEnd().split('\n')).toEqual(repeated.map(([key]) => key));
    expect((await run(...args, '--count')).stdout.toString().trimEnd().split('\n')).toEqual(
      repeated.map(([key, count]) => `${String(count).padStart(7)} ${key}`),
    );
  });
});

describe('what cannot be told', () => {
  it.each([
    [['--count'], '--count needs --repeated, because lines that come once are known only when the text has ended'],
    [
      ['--repeated', '--seen', path('none'), '-n', '9'],
      '--repeated does not go with --seen: a filter keeps which lines',
    ],
    [
      ['--repeated', '--last', '9'],
      '--repeated does not go with --last: a line that is forgotten would be printed again',
    ],
    [['--repeated', '--max-memory', '9M'], '--repeated does not go with --max-memory: it bounds only what keeps lines'],
  ])('is refused: %j', async (args, message) => {
    const { code, stdout, stderr } = await runOn('a\na\n', 'dedupe', ...args);
    expect({ code, stdout: stdout.length }).toEqual({ code: 2, stdout: 0 });
    expect(stderr).toContain(`bloomery: ${message}`);
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
