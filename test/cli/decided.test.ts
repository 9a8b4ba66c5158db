// What is said of the decisions of a filter: how many lines were read and kept, and how many mistakes are expected.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text as textIn } from 'node:stream/consumers';
import { BloomFilter } from 'bloomery';
import { hashKeys } from 'bloomery/hash';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { describe, expect, it } from 'vitest';
import { CLEAR_LINE } from '../../cli/errors.ts';
import { makeFilter } from '../../cli/filters/kinds.ts';
import { type Decided, decidedText, Mistakes, mistakesAfter } from '../../cli/filters/mistakes.ts';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { emptyLast, endlessSeen, growingSeen, type Selecting, savedSeen } from '../../cli/filters/seen.ts';
import { numbers, program, runOn, start, workInFolder, write } from './run.ts';

workInFolder();

describe('the expected number of mistakes', () => {
  const COUNT = 400_000;
  const RATE = 0.02;

  /** How many distinct keys are not selected, and how many mistakes are expected, if `step` keys come at a time. */
  function lostBy(selecting: Selecting, step: number): { lost: number; expected: number } {
    selecting.watch();
    let kept = 0;
    for (let from = 0; from < COUNT; from += step) {
      const keys = Uint32Array.from({ length: step }, (_, i) => from + i);
      kept += selecting.flag(hashKeys(keys, { seed: selecting.seed })).reduce((sum, flag) => sum + flag, 0);
    }
    return { lost: COUNT - kept, expected: selecting.expectedMistakes() };
  }

  const makeScalable = () => savedSeen(new ScalableBloomFilter({ capacity: 1000, errorRate: RATE }), 'seen.bloom');
  const makeSaved = (count: number) => () => {
    const filter = makeFilter(BloomFilter, { capacity: 2 * COUNT, errorRate: 0.2 });
    return savedSeen(filter.addMany(Int32Array.from({ length: count }, (_, i) => -1 - i)), 'seen.bloom');
  };

  it.each([
    ['one filter', 1000, () => growingSeen(COUNT, RATE, Number.POSITIVE_INFINITY)],
    ['growing filters', 1000, () => growingSeen(1000, RATE, Number.POSITIVE_INFINITY)],
    ['growing filters, in large steps', 50_000, () => growingSeen(1000, RATE, Number.POSITIVE_INFINITY)],
    ['a scalable filter', 1000, makeScalable],
    ['a scalable filter, in one step', COUNT, makeScalable],
    ['a saved filter without keys', 10_000, makeSaved(0)],
    ['a saved filter that has keys', 10_000, makeSaved(COUNT)],
  ])('is about that of the lines that are lost: %s', (_, step, make) => {
    const { lost, expected } = lostBy(make(), step);
    expect(lost).toBeGreaterThan(100);
    expect(Math.abs(lost - expected)).toBeLessThan(5 * Math.sqrt(expected) + 0.1 * expected);
  });

  it('is at most as promised for a filter that forgets', () => {
    const { lost, expected } = lostBy(endlessSeen(emptyLast(1000, 0.001)), 1000);
    expect(expected).toBeCloseTo(((COUNT - lost + 1) * 0.001) / 0.999, 6);
    expect(lost).toBeLessThan(expected + 5 * Math.sqrt(expected));
  });

  it('of repeated lines is that of both filters', () => {
    const make = (): ReturnType<typeof growingSeen> => growingSeen(COUNT, RATE, Number.POSITIVE_INFINITY);
    const alone = lostBy(make(), 1000).expected;
    const counted = lostBy(new Counted(make()), 1000);
    expect(counted.expected).toBe(alone);
    const selected = make();
    const both = lostBy(new Repeated(make(), selected), 1000);
    expect(both.expected).toBe(alone + selected.expectedMistakes());
    // All keys come once, so each that is selected is a mistake.
    expect(Math.abs(COUNT - both.lost - alone)).toBeLessThan(5 * Math.sqrt(alone) + 0.1 * alone);
  });

  it('is 0 before any key, and follows from the keys that were absent', () => {
    const filter = makeFilter(BloomFilter, { capacity: 10, errorRate: 0.1 });
    expect(new Mistakes(filter).expected()).toBe(0);
    // No key was absent, but those that seemed present may have been.
    const rate = filter.addMany(['a']).estimateErrorRate();
    expect(new Mistakes(filter).expected()).toBe(rate / (1 - rate));
    const after = [mistakesAfter(989, 0.01), mistakesAfter(0, 0.5), mistakesAfter(0, 1)];
    expect(after).toEqual([10, 1, Number.POSITIVE_INFINITY]);
  });
});

describe('the line', () => {
  const decided = { read: 1, kept: 0, noun: 'record', unsure: 1, wrong: 'lost', isExact: false };

  it.each<[Partial<Decided>, string]>([
    [{ mistakes: 0.514 }, 'expected to be lost: 0.51'],
    [{ mistakes: 1234.5, unsure: 9999 }, 'expected to be lost: 1,200'],
    // No more than there can be, and 0 only if there can be none.
    [{ mistakes: 1.5 }, 'expected to be lost: 1'],
    [{ mistakes: 0 }, 'expected to be lost: 5e-324'],
    [{ mistakes: 0.5, unsure: 0 }, 'expected to be lost: 0'],
    [{ mistakes: Number.POSITIVE_INFINITY }, 'expected to be lost: unknown, because every key seems present'],
    [{ mistakes: undefined }, 'expected to be lost: unknown, because the filter was not loaded'],
    [{ mistakes: 3.14e-15, isExact: true }, 'exact, but for a chance of 3.1e-15 that one is lost'],
    [{ mistakes: 3.14e-15, unsure: 0, isExact: true }, 'exact'],
  ])('is short: %j', (some, text) => {
    expect(decidedText({ mistakes: undefined, ...decided, ...some })).toBe(`1 record read, 0 kept; ${text}`);
  });

  it.each([1, 3])('comes last where a filter decided: %i threads', async (threads) => {
    writeFileSync('known.bloom', BloomFilter.from(['0', '1', '2'], { capacity: 100, errorRate: 0.1 }).toBytes());
    writeFileSync('full.bloom', new BloomFilter({ bits: 8, hashes: 1 }).addMany(numbers(0, 99).split('\n')).toBytes());
    writeFileSync('numbers', numbers(0, 30_000));
    const said = async (command: string): Promise<string | undefined> => {
      const { code, stderr } = await runOn('', ...`${command} --threads ${threads}`.split(' '));
      expect(code, stderr).toBeLessThan(2);
      return stderr;
    };
    const read = '30,000 lines read, ';
    const lost = /^60,000 lines read, [\d,]+ kept; expected to be lost: [\d.e-]*[1-9][\d.e-]*; \d+ filters?, \S+ .B\n$/;
    const seen = '--seen last.bloom --last 1000';
    for (const options of ['-p 0.1', '-p 1e-9', '--last 1000', seen, '-p 1e-6 -c --repeated']) {
      const wanted = options.includes('--repeated') ? /30,000 kept; expected to be wrong: \S*[1-9]/ : lost;
      expect(await said(`dedupe ${options} numbers numbers`)).toMatch(wanted);
      expect(await said(`dedupe ${options} --quiet numbers`)).toBe('');
    }
    const [kept, leftOut] = ['kept; expected to be kept wrongly: ', 'kept; expected to be left out wrongly: '];
    for (const count of ['--no-load', '--count']) {
      expect(await said(`pick ${count} known.bloom numbers`)).toMatch(`${read}3 ${kept}`);
      expect(await said(`omit ${count} known.bloom numbers`)).toMatch(`${read}29,997 ${leftOut}`);
    }
    const full = `${read}30,000 ${kept}unknown, because every key seems present\n`;
    expect(await said('pick full.bloom numbers')).toMatch(full);
    const unknown = `${read}0 ${leftOut}unknown, because the filter was not loaded\n`;
    expect(await said('omit --no-load full.bloom numbers')).toBe(unknown);
    expect(await said('build -k fingerprint-set -o known.set numbers')).toBe('');
    const exact = ['dedupe', 'pick --list numbers', 'omit --list numbers', 'pick known.set'];
    for (const command of [...exact, 'omit --no-load known.set', 'pick -q known.bloom']) {
      expect(await said(`${command} numbers`)).toBe('');
    }
  });

  it.each([
    ['dedupe -p 1e-9 -n 1 --max-memory 8', /^bloomery: --max-memory .*\n$/],
    ['dedupe --seen one.bloom -p 1e-6 -n 1', /^bloomery: 'one.bloom' is full .*\n$/],
    ['omit --json-field a one.bloom', /^bloomery: .* is not JSON: .*\n$/],
  ])('is not said if an error ends the command: %s', async (command, message) => {
    writeFileSync('one.bloom', BloomFilter.from(['a'], { capacity: 1, errorRate: 1e-6 }).toBytes());
    const { code, stderr } = await runOn('b\nc\nd', ...command.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('comes also where a file could not be read, and a signal ended the text', async () => {
    write({ 'one.bloom': BloomFilter.from(['a'], { capacity: 1, errorRate: 1e-6 }), text: 'id\na\nb\nb\n' });
    const { stderr } = await runOn('', ...'pick one.bloom missing text'.split(' '));
    expect(stderr).toMatch(/^bloomery: cannot read 'missing': .*\n4 lines read, 1 kept; .*\n$/);
    const child = start(...'dedupe --seen signal.bloom -n 10 -p 1e-6'.split(' '));
    const said = textIn(child.stderr as Readable);
    child.stdin?.write('a\nb\na\n');
    child.stdout?.once('data', () => child.kill('SIGINT'));
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(await said).toMatch(/^3 lines read, 2 kept; expected to be lost: /);
  });

  const SCRIPT = '/usr/bin/script';
  it.skipIf(!existsSync(SCRIPT))('comes last on a terminal, and with --quiet not at all', () => {
    write({ 'known.bloom': BloomFilter.from(['a'], { capacity: 100 }), text: 'id\na\nb\nb\n' });
    writeFileSync('invalid', '{"a"\n{"a":"a"}\n{"a":"a"}\n{"a":2}\n');
    const onTerminal = (command: string, input = '--header text'): string | undefined => {
      const line = `'${process.execPath}' '${program}' ${command} ${input}`;
      const text = execFileSync(SCRIPT, ['-qec', line, '/dev/null'], { encoding: 'utf8' });
      return text.trimEnd().replaceAll(CLEAR_LINE, '\n').split('\n').at(-1);
    };
    const lost = /^3 lines read, 2 kept; expected to be lost: \S+; 1 filter, 5\.30 MB$/;
    expect(onTerminal('dedupe -p 1e-6')).toMatch(lost);
    const but = 'exact, but for a chance of 3.8e-29 that one is';
    expect(onTerminal('dedupe')).toBe(`3 lines read, 2 kept; ${but} lost; 326 bytes`);
    expect(onTerminal('dedupe --quiet')).not.toContain('read');
    expect(onTerminal('pick --list text')).toMatch(/^3 lines read, 3 kept; exact, but for a chance of 2\.5e-29 /);
    writeFileSync('two', 'id\nb\nc\n');
    const omitted = /^3 lines read, 1 kept; exact, but for a chance of 5(\.\d)?e-29 that one is left out wrongly$/;
    expect(onTerminal('omit --list two')).toMatch(omitted);
    expect(onTerminal('pick known.bloom')).toMatch(/^3 lines read, 1 kept; expected to be kept wrongly: [1-9]\S*$/);
    expect(onTerminal('omit known.bloom')).toMatch(/^3 lines read, 2 kept; expected to be left out wrongly: \S+$/);
    expect(onTerminal('omit known.bloom --quiet')).toBe('');
    expect(onTerminal('build -n 9 -o - text', '> saved')).toMatch(/^stdout: classic filter, /);
    // What was left out was not decided.
    expect(onTerminal('dedupe', '--json-field a --skip-invalid invalid')).toMatch(/^3 lines read, 2 kept; /);
  });
});
