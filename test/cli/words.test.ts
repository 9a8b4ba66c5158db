// The words of the command line: the functions that read and write them, what completes them, and the manual page.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { withHelp } from '../../cli/args/command.ts';
import { commands } from '../../cli/commands.ts';
import { oneLine, quote } from '../../cli/errors.ts';
import { buildableClasses, foreignClasses, kindNames as kinds, sizeOf } from '../../cli/filters/kinds.ts';
import { twoDigits } from '../../cli/filters/mistakes.ts';
import { nearest } from '../../cli/nearest.ts';
import * as numbers from '../../cli/numbers.ts';
import { addressOf, serverOptions } from '../../cli/redis/address.ts';
import { NOTHING } from '../../cli/text/bytes.ts';
import { withProgress } from '../../cli/text/progress.ts';
import { formatWith } from './format.ts';
import { told } from './run.ts';

const readers = {
  count: (text: string) => numbers.readCount(text, '-x'),
  rate: (text: string) => numbers.readRate(text, '-x'),
  size: (text: string) => numbers.readBytes(text, '-x'),
  seed: (text: string) => numbers.readInteger(text, '-x', 0, 2 ** 32 - 1),
};

describe('a number', () => {
  it.each<[keyof typeof readers, Readonly<Record<string, number>>]>([
    ['count', { 1: 1, 1000000: 1e6, '1_000_000': 1e6, '1e6': 1e6, '1.5e3': 1500, '1k': 1000, '1K': 1000, '1M': 1e6 }],
    ['count', { '1.1M': 1_100_000, '0.29G': 290_000_000, '2T': 2e12, 9007199254740991: 2 ** 53 - 1 }],
    ['rate', { '0.01': 0.01, '.5': 0.5, '1e-6': 1e-6, '1%': 0.01, '0.01 %': 0.0001 }],
    ['size', { 500000: 500_000, '100B': 100, '500k': 500_000, '10M': 1e7, '10MB': 1e7, '1.5GB': 1.5e9 }],
    ['size', { '10MiB': 10 * 2 ** 20, '1Gi': 2 ** 30 }],
    ['seed', { 0: 0, 4294967295: 2 ** 32 - 1 }],
  ])('that is a %s may be written so: %j', (kind, values) => {
    for (const [text, value] of Object.entries(values)) expect([text, readers[kind](text)]).toEqual([text, value]);
  });

  it.each<[keyof typeof readers, string, string[]]>([
    ['count', 'a whole number from 1 to 9e15, such as', ['', '0', '-1', '1.5', '_1', '1kk', '1e', 'k', '0x10']],
    ['count', 'a whole number from 1 to 9e15, such as', ['1e400', '1 000', '1,000', '1e16', 'NaN']],
    ['rate', 'a number between 0 and 1, such as 0.01, 1e-6 or 1%, got', ['0', '1', '100%', '-0.1', '%', '1%%', '1k']],
    ['size', 'a number of bytes, such as', ['', 'M', '0', '-5M', '10X', '1MiBB']],
    ['seed', 'a whole number from 0 to 4294967295, got', ['4294967296', '-1', '1.5']],
  ])('that is a %s must be %s %j', (kind, message, texts) => {
    for (const text of texts) expect(() => readers[kind](text), text).toThrow(`-x must be ${message}`);
  });

  it('is read in no time, however long', () => {
    expect(() => readers.count('1'.repeat(1e6))).toThrow('-x must be');
    expect(() => readers.rate(`${'1'.repeat(1e6)}x`)).toThrow('-x must be');
  });
});

describe('a least rate', () => {
  it('is rounded to three digits, never down', () => {
    const rates = [2 ** -32, 0.01, 1e-8, 0.0123001, 0.0999001, 1e-300].map(numbers.leastRate);
    expect(rates).toEqual(['2.33e-10', '0.01', '1e-8', '0.0124', '0.1', '1e-300']);
    const property = fc.property(fc.double({ min: 1e-50, max: 0.99, noNaN: true }), (value) => {
      const shown = Number(numbers.leastRate(value));
      expect(shown).toBeGreaterThanOrEqual(value);
      expect(shown).toBeLessThanOrEqual(1.011 * value);
      expect(Number(shown.toPrecision(3))).toBe(shown);
    });
    fc.assert(property);
  });

  it.each([1, 7, 1000, 31_079, 1e6])('is named where an error rate is refused, for %d keys', (capacity) => {
    const refused = buildableClasses.flatMap((Class) => {
      try {
        sizeOf(Class, { capacity, errorRate: 1e-12 });
        return [];
      } catch (error) {
        const [, least = ''] =
          /needs an --error-rate of at least ([\d.]{1,7}(?:e-\d+)?)(?:,|$)/.exec(String(error)) ?? [];
        expect(sizeOf(Class, { capacity, errorRate: numbers.readRate(least, '-p') }).byteLength).toBeGreaterThan(0);
        return [Class.kind];
      }
    });
    expect(refused.join(' ')).toBe('blocked wide cuckoo dleft rotating fuse sharded-fuse fuse-map');
  });
});

describe('the most similar word', () => {
  const words = ['capacity', 'error-rate', 'kind', 'output', 'seed'];

  it('has few other letters', () => {
    const misspelt = ['capcity', 'ouptut', 'error_rate', 'sed', 's', 'fpp', 'constructor'];
    const found = ['capacity', 'output', 'error-rate', 'seed', undefined, undefined, undefined];
    expect(misspelt.map((word) => nearest(word, words))).toEqual(found);
  });

  it('is found at once for a long word', () => expect(nearest('capacity'.repeat(1e5), words)).toBeUndefined());
});

it('an error is one short line without control characters or marks that change the direction of text', () => {
  expect(oneLine('a\x1b[31m\nb\u202ec\u2066d\u2028e\x7f')).toBe('a?[31m?b?c?d?e?');
  expect(oneLine(' '.repeat(120_000))).toHaveLength(1001);
  expect(oneLine(' '.repeat(1000))).toHaveLength(1000);
  expect([200, 201, 500].map((length) => quote('x'.repeat(length)).length)).toEqual([202, 203, 203]);
});

describe('a figure', () => {
  it('has the right noun', () => {
    const figures = [0, 1, 1.2, 2, 1000].map((count) => numbers.plural(count, 'key'));
    expect(figures).toEqual(['0 keys', '1 key', '1 key', '2 keys', '1,000 keys']);
  });

  it('has a unit', () => {
    const sizes = [1, 66, 999, 1000, 999_500, 4_294_967_296, 1.2e15].map(numbers.byteSize).join(', ');
    expect(sizes).toBe('1 byte, 66 bytes, 999 bytes, 1.00 kB, 1.00 MB, 4.29 GB, 1.20 PB');
    const durations = [5, 59, 60, 125, 3720].map(numbers.duration);
    expect(durations).toEqual(['5 s', '59 s', '1 min 0 s', '2 min 5 s', '1 h 2 min']);
  });

  it('that is an estimate has two digits', () => {
    const written = [0, 5.87e-27, 0.00038, 0.996, 3.14, 999, 123_456].map(twoDigits);
    expect(written).toEqual(['0', '5.9e-27', '0.00038', '1', '3.1', '1,000', '120,000']);
  });
});

it('progress is shown of a file that has grown, and on a terminal without a size', async () => {
  const write = vi.fn();
  vi.spyOn(process, 'stderr', 'get').mockReturnValue({ isTTY: true, columns: 0, write } as never);
  vi.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValue(1000);
  const inputs = { names: [], size: 10, bytesRead: 12, linesRead: 0, transient: undefined, mayFail: false };
  const format = formatWith({});
  async function* text() {
    yield { mark: NOTHING, bytes: NOTHING, format };
  }
  for await (const _ of withProgress(text(), inputs, format, false));
  expect(write.mock.calls.join('')).toContain(`${'█'.repeat(24)} 100 %  12 bytes of 10 bytes`);
});

describe('an address of Redis', () => {
  const read = (text: string) => addressOf({ url: serverOptions.url.read(text, '--url'), cluster: false });

  it('has a host, a port, a database and a user', () => {
    const user = { username: 'ada', password: 'p@ss', isEncrypted: true };
    expect(read('rediss://ada:p%40ss@[::1]:7000/15')).toEqual({ host: '::1', port: 7000, database: 15, ...user });
    expect(read('redis://host')).toMatchObject({ port: 6379, database: 0, username: undefined, password: undefined });
    expect(read('redis://host/999999999')).toMatchObject({ database: 999_999_999 });
  });

  it.each(['1000000000', '-1', '1e3', '1/2', '?x', '#x'])('has no database %s', (database) => {
    expect(() => read(`redis://host/${database}`)).toThrow('--url must be like redis://host:6379/0');
  });
});

// Bash itself completes here. For the other shells, everything that can be completed must be there.

const formats = foreignClasses.map(({ kind }) => kind);
const first = new Set([...commands.map(({ name }) => name.replace(/ .*/, '')), 'help']);

const programs = new Map<string, string>();

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const [code, stdout] = await told(`completion ${shell}`);
    expect(code).toBe(0);
    programs.set(shell, stdout);
  }
});

/** What Bash offers after these words, the last of which is unfinished. */
function offered(...words: readonly string[]): string[] {
  const program = `${programs.get('bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bloomery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in Bash', () => {
  it.each<[line: string, offers: readonly string[]]>([
    ['', [...first]],
    ['x', []],
    ['redis ', ['push', 'pull', 'info', 'list', 'check', 'repair', 'delete']],
    ['redis pull --m', ['--module']],
    ['build --kind ', kinds],
    ['build -k c', kinds.filter((kind) => kind.startsWith('c'))],
    ['build --kind = w', ['wide']],
    ['pick a.bloom --format r', ['redisbloom']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['help de', ['dedupe']],
    // These are left to files.
    ['build na', []],
    ['build -o ', []],
    ['pick a.bloom ', []],
  ])('of bloomery %j offers %j', (line, offers) => {
    expect(offered('bloomery', ...line.split(' ')).sort()).toEqual([...offers].sort());
  });

  it('offers every option of every command', () => {
    for (const { name, options } of commands) {
      const names = Object.keys(withHelp(options)).map((each) => `--${each}`);
      expect({ name, offers: offered('bloomery', ...name.split(' '), '-') }).toEqual({ name, offers: names });
    }
  });
});

it.each(['zsh', 'fish'])('completion in %s has every command, option, kind and format', (shell) => {
  const words = new Set(programs.get(shell)?.match(/[\w-]+/g));
  const options = commands.flatMap((command) => Object.keys(withHelp(command.options)));
  const wanted = [...commands.flatMap(({ name }) => name.split(' ')), ...kinds, ...formats, 'redisbloom'];
  const long = options.map((name) => (shell === 'fish' ? name : `--${name}`));
  expect([...wanted, ...long].filter((word) => !words.has(word))).toEqual([]);
});

it('completion in zsh offers an option again that may be given several times', () => {
  const specifications = programs.get('zsh')?.match(/^.*--(?:list|output)=/gm);
  expect(specifications?.filter((each) => each.includes("'*'--list="))).toHaveLength(2);
  expect(specifications?.filter((each) => each.includes('*'))).toHaveLength(2);
});

describe('the manual page', () => {
  const page = readFileSync('dist/cli/bloomery.1', 'utf8');

  it('has every command with its options and examples', () => {
    const text = page.replaceAll('\\-', '-');
    for (const { name, options, examples } of commands) {
      expect(text).toContain(`.SS \\fBbloomery ${name} `);
      for (const option of Object.keys(withHelp(options))) expect(text).toContain(`--${option}`);
      for (const example of examples) expect(text).toContain(example);
    }
  });

  it('is named as npm wants it, which passes over a name that is not in a list', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: unknown };
    expect(man).toEqual(['./dist/cli/bloomery.1']);
  });
});
