// What is said of the decisions of a filter: how many lines were read and kept, and how many mistakes are expected.

import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { BloomFilter } from 'bloomery';
import { hashKeys } from 'bloomery/hash';
import { describe, expect, it } from 'vitest';
import { CLEAR_LINE } from '../../cli/errors.ts';
import { makeFilter } from '../../cli/filters/kinds.ts';
import { decidedText, Mistakes, mistakesBeside } from '../../cli/filters/mistakes.ts';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { emptyLast, endlessSeen, growingSeen, type Selecting, savedSeen } from '../../cli/filters/seen.ts';
import { program, workInFolder } from './run.ts';

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

  it.each([
    ['one filter', 1000, () => growingSeen(COUNT, RATE, Number.POSITIVE_INFINITY)],
    ['growing filters', 1000, () => growingSeen(1000, RATE, Number.POSITIVE_INFINITY)],
    ['growing filters, in large steps', 50_000, () => growingSeen(1000, RATE, Number.POSITIVE_INFINITY)],
  ])('is about that of the lines that are lost: %s', (_, step, make) => {
    const { lost, expected } = lostBy(make(), step);
    expect(lost).toBeGreaterThan(100);
    expect(Math.abs(lost - expected)).toBeLessThan(5 * Math.sqrt(expected) + 0.1 * expected);
  });

  it.each([0, COUNT])('counts from the keys that a saved filter has: %i', (count) => {
    const filter = makeFilter(BloomFilter, { capacity: 2 * COUNT, errorRate: 0.2 });
    filter.addMany(Int32Array.from({ length: count }, (_, i) => -1 - i));
    const { lost, expected } = lostBy(savedSeen(filter, 'seen.bloom'), 10_000);
    expect(lost).toBeGreaterThan(100);
    expect(Math.abs(lost - expected)).toBeLessThan(5 * Math.sqrt(expected) + 0.1 * expected);
  });

  it('is at most as promised for a filter that forgets', () => {
    const { lost, expected } = lostBy(endlessSeen(emptyLast(1000, 0.001)), 1000);
    expect(expected).toBeCloseTo(((COUNT - lost) * 0.001) / 0.999, 6);
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
    expect(new Mistakes(makeFilter(BloomFilter, { capacity: 10, errorRate: 0.1 })).expected()).toBe(0);
    expect([mistakesBeside(990, 0.01), mistakesBeside(0, 0.5), mistakesBeside(0, 1)]).toEqual([10, 0, Number.NaN]);
  });
});

describe('the line', () => {
  const decided = { read: 1, kept: 0, noun: 'record', wrong: 'lost', isExact: false };
  const exact = { ...decided, isExact: true };

  it('is short', () => {
    expect(decidedText({ ...decided, mistakes: 0.5 })).toBe('1 record read, 0 kept; expected to be lost: 0.5');
    expect(decidedText({ ...decided, mistakes: Number.NaN })).toMatch(/: unknown, because the filter is full$/);
    expect(decidedText({ ...exact, mistakes: 3.14e-15 })).toBe(
      '1 record read, 0 kept; exact, but for a chance of 3.1e-15 that one is lost',
    );
    expect(decidedText({ ...exact, mistakes: 0 })).toBe('1 record read, 0 kept; exact');
  });

  const SCRIPT = '/usr/bin/script';
  it.skipIf(!existsSync(SCRIPT))('comes last on a terminal, and with --quiet not at all', () => {
    writeFileSync('known.bloom', BloomFilter.from(['a'], { capacity: 100 }).toBytes());
    writeFileSync('text', 'id\na\nb\nb\n');
    writeFileSync('invalid', '{"a"\n{"a":"a"}\n{"a":"a"}\n{"a":2}\n');
    const onTerminal = (command: string, input = '--header text'): string | undefined => {
      const line = `'${process.execPath}' '${program}' ${command} ${input}`;
      const text = execFileSync(SCRIPT, ['-qec', line, '/dev/null'], { encoding: 'utf8' });
      return text.trimEnd().replaceAll(CLEAR_LINE, '\n').split('\n').at(-1);
    };
    expect(onTerminal('dedupe -p 1e-6')).toMatch(
      /^3 lines read, 2 kept; expected to be lost: \S+; 1 filter, 5\.30 MB$/,
    );
    const but = 'exact, but for a chance of 2.5e-29 that one is';
    expect(onTerminal('dedupe')).toBe(`3 lines read, 2 kept; ${but} lost; 326 bytes`);
    expect(onTerminal('dedupe --quiet')).not.toContain('read');
    expect(onTerminal('pick --list text')).toBe('3 lines read, 3 kept; exact');
    writeFileSync('two', 'id\nb\nc\n');
    expect(onTerminal('omit --list two')).toBe(`3 lines read, 1 kept; ${but} left out wrongly`);
    expect(onTerminal('pick known.bloom')).toMatch(/^3 lines read, 1 kept; expected to be kept wrongly: [1-9]\S*$/);
    expect(onTerminal('omit known.bloom')).toMatch(/^3 lines read, 2 kept; expected to be left out wrongly: \S+$/);
    expect(onTerminal('omit known.bloom --quiet')).toBe('');
    // What was left out was not decided.
    expect(onTerminal('dedupe', '--json-field a --skip-invalid invalid')).toMatch(/^3 lines read, 2 kept; /);
  });
});
