// Commands in several threads: they give what one thread gives, byte for byte, and end as it does.

import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text as streamText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { lines } from 'bloomery';
import { beforeAll, describe, expect, it } from 'vitest';
import { canGrow, classOf, makeFilter } from '../../cli/filters/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { SECRET } from '../shared/secret.ts';
import { DECIDED, numbers, type Result, runIn, runOn, runReading, start, told, workInFolder, write } from './run.ts';

workInFolder();

const CAPACITY = 60_000;

/** Many repeated lines, some with CRLF, empty, without a second field, or longer than a batch. No newline at the end. */
function makeText(): string {
  const random = randomFrom(31);
  const keys = Array.from({ length: 20_000 }, (_, i) => `key ${i}\t${random(5000)}\t${'x'.repeat(random(30))}`);
  const parts = ['', ''];
  for (let i = 0; i < 45_000; i++) {
    const key = keys[random(random(3) === 0 ? 50 : keys.length)] as string;
    parts.push(random(20) === 0 ? `${key}\r` : key);
    if (i % 20_000 === 7) parts.push(`long ${i} ${'y'.repeat(2.3e6)}`, `no field ${i}`);
  }
  return [...parts, 'key 7\t1\r'].join('\n');
}

function keysIn(lines: string): string[] {
  return (lines.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => line.replace(/\r?\n$/, ''));
}

const text = makeText();

beforeAll(() => {
  write({ text, marked: `\ufeffkey 1\nkey 2\n${text}`, nul: text.replaceAll('\n', '\0'), secret: SECRET });
  const zipped = gzipSync(text, { level: 1 });
  write({ 'text.gz': zipped, 'cut.gz': zipped.subarray(0, -1000) });
  const third = text.split('\n').filter((_, i) => i % 3 === 0);
  const some = Buffer.from(third.join('\n'));
  writeFileSync('known', some);
  const known = lines(some);
  for (const kind of ['classic', 'blocked', 'wide', 'rotating']) {
    const Class = classOf(kind);
    if (!canGrow(Class)) throw new Error(`${kind} filters take no keys`);
    using filter = makeFilter(Class, { capacity: CAPACITY, errorRate: 1e-4 });
    writeFileSync(kind, filter.addMany(known).toBytes());
  }
});

const runLine = (line: string, input: string | Uint8Array = ''): Promise<Result> => runOn(input, ...line.split(' '));

/** What a filter is expected to have done wrong is measured between batches, which are others in other threads. */
const withoutMistakes = ({ stderr }: Result): string => stderr.replace(/(?<=expected to be [a-z ]+: )[\d.e-]+/, '…');

function expectAlike(one: Result, other: Result): void {
  expect([other.code, withoutMistakes(other)]).toEqual([one.code, withoutMistakes(one)]);
  expect(other.stdout.equals(one.stdout)).toBe(true);
}

/** Runs a command in one thread and in three. Returns the result, which must be the same. */
async function runAlike(line: string, input = ''): Promise<Result> {
  const one = await runLine(`${line} --threads 1`, input);
  expectAlike(one, await runLine(`${line} --threads 3`, input));
  return one;
}

describe('in several threads', () => {
  const commands = [
    `build -n ${CAPACITY} -o -`,
    ...['build -k sharded-fuse -o -', 'build -k fingerprint-set -o -', 'pick classic', 'pick --list known', 'dedupe'],
  ];
  it.each(commands)('%s gives the same, whatever the text comes from', async (line) => {
    const one = await runLine(`${line} --threads 1 text`);
    expect([one.code, one.stderr.replace(DECIDED, '')]).toEqual([0, '']);
    if (line === 'dedupe') expect(keysIn(one.stdout.toString())).toEqual([...new Set(keysIn(text))]);
    const two = `${line} --threads 2`;
    for (const file of ['text', 'text.gz']) expectAlike(one, await runLine(`${two} ${file}`));
    expectAlike(one, await runReading('text', ...two.split(' ')));
    expectAlike(one, await runLine(two, text));
  });

  const lacking = /without a field/;
  const full = /^bloomery: line [0-9,]+ does not fit: /;
  it.each<[line: string, code?: number, stderr?: RegExp]>([
    ...['blocked', 'wide', 'counting', 'rotating'].map((kind): [string] => [`build -k ${kind} -n 200k -o - text`]),
    ['build -n 60k -o - --field 2 marked text', 0, lacking],
    ['build -n 60k -o - --field 3 --delimiter x --no-crlf marked text', 0, lacking],
    ['build -n 60k -o - -z nul text'],
    ['build -k sharded-fuse -o - --secret-file secret --field 2 text', 0, lacking],
    ['build -k cuckoo -n 200k -o - text', 2, full],
    ['omit classic --field 2 marked text', 0, lacking],
    ['omit blocked text marked text text.gz'],
    ['pick classic text missing text', 2, /cannot read 'missing'/],
    ['pick classic', 1],
    ['pick wide text'],
    ['omit rotating text'],
    ['dedupe marked text text.gz'],
    ['dedupe -p 1e-6 -n 100 marked text text.gz'],
    ['omit --list known marked text'],
    ['pick --list text.gz --field 2 marked text', 0, lacking],
    ['build -n 60k -o never cut.gz', 2, /^bloomery: cannot unzip .*\n$/],
  ])('%s gives the same', async (line, code = 0, stderr = /^$/) => {
    const result = await runAlike(line);
    expect([result.code, result.stderr.replace(DECIDED, '')]).toEqual([code, expect.stringMatching(stderr)]);
    expect(result.stdout.length > 0).toBe(code === 0 || line.includes('missing'));
    expect(existsSync('never')).toBe(false);
  });

  it.each(['--seed 5', '--no-crlf', '--field 2', '-z', '--header'])('build heeds %s', async (options) => {
    const files = options === '-z' ? 'nul text' : 'marked text';
    const { code, stderr, stdout } = await runAlike(`build -k sharded-fuse -o - ${options} ${files}`);
    expect([code, lacking.test(stderr)]).toEqual([0, options.startsWith('--field')]);
    const usual = await runLine(`build -k sharded-fuse -o - --threads 2 ${files}`);
    expect(stdout.equals(usual.stdout)).toBe(false);
  });

  it.each(['classic', 'blocked'])('build fills one %s filter if many would be too large', async (kind) => {
    const build = `build -k ${kind} -n 32M -o - text --threads`;
    expectAlike(await runLine(`${build} 1`), await runLine(`${build} 16`));
  });

  it.each([
    { kind: 'set', options: '-n 60k' },
    { kind: 'wide', options: '-p 1e-6 -n 60k' },
    { kind: 'wide', options: '-p 1e-6 -n 10k', isFull: true },
    { kind: 'rotating', options: '--last 3000' },
    { kind: 'cuckoo', options: '-p 0.01', made: '-n 60k' },
    { kind: 'cuckoo', options: '-p 0.01', made: '-n 8k', isFull: true },
    { kind: 'scalable', options: '-p 0.01', made: '-n 1k' },
  ])('dedupe saves the same filter: $kind $options $made', async ({ kind, options, made, isFull = false }) => {
    const saved: Buffer[] = [];
    const dedupe = async (threads: number): Promise<Result> => {
      const seen = `seen-${kind}-${isFull}`;
      rmSync(seen, { force: true });
      if (made) await told(`build -k ${kind} ${made} -p 0.001 -o ${seen}`, 'old\n');
      const result = await runLine(`dedupe --seen ${seen} ${options} --threads ${threads} text marked`);
      saved.push(readFileSync(seen));
      return result;
    };
    const [one, three] = [await dedupe(1), await dedupe(3)];
    expectAlike(one, three);
    expect(saved[0]?.equals(saved[1] as Buffer)).toBe(true);
    expect([one.code, /no room|full/.test(one.stderr)]).toEqual([isFull ? 2 : 0, isFull]);
  });

  it('a text that turns out to be long gets more threads while it is read', async () => {
    const long = Buffer.from(`${text}\n`.repeat(Math.ceil(75e6 / text.length)));
    for (const line of ['build -n 60k -o -', 'omit classic', 'dedupe', 'omit --list known']) {
      expectAlike(await runLine(`${line} --threads 1`, long), await runLine(line, long));
    }
  });
});

describe('with an error', () => {
  /** An environment in which each process and thread runs this code first. */
  function withCode(name: string, code: string): { env: NodeJS.ProcessEnv } {
    writeFileSync(name, code);
    return { env: { ...process.env, NODE_OPTIONS: `--require ./${name}` } };
  }

  it('a file that can be read only in part is left out from there on', async () => {
    // As a disk fails: other threads read with `readSync`.
    const faulty = withCode(
      'faulty.cjs',
      `const fs = require('node:fs');
      const { readSync } = fs;
      fs.readSync = (file, buffer, offset, length, position) => {
        // Node 24 reads modules without a position.
        if (!(position >= 4e6)) return readSync(file, buffer, offset, length, position);
        throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
      };
      require('node:module').syncBuiltinESMExports();`,
    );
    const message = "bloomery: cannot read 'text': i/o error\n";
    const omit = 'omit --threads 3 blocked';
    const both = await runIn(faulty, ...`${omit} text text.gz`.split(' '));
    const [all, second] = [await runLine(`${omit} text`), await runLine(`${omit} text.gz`)];
    expect([both.code, both.stderr.replace(DECIDED, '')]).toEqual([2, message]);
    const part = both.stdout.length - second.stdout.length;
    expect(part).toBeGreaterThan(100_000);
    expect(both.stdout.equals(Buffer.concat([all.stdout.subarray(0, part), second.stdout]))).toBe(true);
    const built = await runIn(faulty, ...'build -n 60k -o part --threads 3 text'.split(' '));
    const deduped = await runIn(faulty, ...'dedupe --threads 3 text'.split(' '));
    for (const { code, stderr } of [built, deduped]) expect([code, stderr]).toEqual([2, message]);
    expect(existsSync('part')).toBe(false);
  });

  it.each([
    ['fails', `throw new RangeError('no memory for a thread')`, 'no memory for a thread'],
    ['ends', 'process.exit(3)', 'a thread ended before its work was done'],
  ])('a thread that %s ends the program', async (name, fault, message) => {
    // What a thread does when it reads its first text.
    const when = `require('node:worker_threads').isMainThread || (Uint8Array.prototype.set = () => { ${fault} })`;
    const faulty = withCode(`${name}.cjs`, when);
    for (const line of ['build -n 60k -o failed', 'build -k sharded-fuse -o failed', 'pick classic', 'dedupe']) {
      const { code, stderr } = await runIn(faulty, ...`${line} --threads 2 text`.split(' '));
      expect([code, stderr]).toEqual([2, `bloomery: ${message}\n`]);
    }
    expect(existsSync('failed')).toBe(false);
  });
});

it.each(['omit blocked', 'dedupe'])('%s prints lines of a text that does not end as they come', async (line) => {
  const child = start(...line.split(' '), '--threads', '2');
  for (const text of ['a new line\n', 'another\n']) {
    child.stdin?.write(text);
    const [printed] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    expect(String(printed)).toBe(text);
  }
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
});

it.each(['1', '2'])(
  'dedupe says that its memory is full, and nothing else of a pipe that stays open: %s threads',
  async (threads) => {
    const child = start('dedupe', '--max-memory', '20k', '--threads', threads);
    child.stdin?.on('error', () => {}).write(numbers(5000, 40_000));
    child.stdout?.resume();
    const [stderr] = await Promise.all([streamText(child.stderr as NodeJS.ReadableStream), once(child, 'close')]);
    expect([child.exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^bloomery: --max-memory 20\.0 kB is full .*\n$/),
    ]);
  },
);
