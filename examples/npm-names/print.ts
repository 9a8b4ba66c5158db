// The report of `npm start`: one screen.

import { median } from '../../bench/shared/figures.ts';
import { heading, integer, percent } from '../report.ts';
import { type Results, ROUNDS, type Times, type WayName } from './measure.ts';

const LABELS: Readonly<Record<WayName, string>> = {
  set: 'Set',
  single: 'one by one',
  batch: 'in batches',
  lines: 'lines of a text',
};
const STEPS: Readonly<Record<keyof Times, string>> = { add: 'add', present: 'find present', absent: 'find absent' };
const ways = Object.keys(LABELS) as WayName[];
const steps = Object.keys(STEPS) as (keyof Times)[];

const inColor = process.stdout.isTTY && !process.env['NO_COLOR'];

function green(text: string): string {
  return inColor ? `\x1b[32m${text}\x1b[39m` : text;
}

function red(text: string): string {
  return inColor ? `\x1b[31m${text}\x1b[39m` : text;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Nanoseconds per name: of lookups the median, of adding the mean, because a Set grows in a few parts only. */
function nanoseconds(times: Times, step: keyof Times): number {
  return step === 'add' ? sum(times.add) / times.add.length : median(times[step]);
}

/** How many times as fast `one` is as `other`. */
function speedup(one: Times, other: Times, step: keyof Times): number {
  return nanoseconds(other, step) / nanoseconds(one, step);
}

/** How far all rounds but the fastest and the slowest are apart, as a share of their median. */
function middleRange(rounds: readonly number[]): number {
  const middle = [...rounds].sort((a, b) => a - b).slice(1, -1);
  return (Math.max(...middle) - Math.min(...middle)) / median(rounds);
}

function printSizes(filterBytes: number, setBytes: number): void {
  heading('Size');
  const largest = Math.max(filterBytes, setBytes);
  const print = (label: string, bytes: number, note = ''): void => {
    const bar = green('█'.repeat(Math.max(1, Math.round((20 * bytes) / largest))));
    console.log(`  ${label.padEnd(25)}${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${bar}${note}`);
  };
  print('filter', filterBytes);
  print('Set', setBytes, ', without its strings');
}

function printTimes({ times }: Results): void {
  const titles = steps.map((step) => STEPS[step].padStart(16)).join('');
  heading(`${'Nanoseconds per name'.padEnd(27)}${titles}`);
  for (const way of ways) {
    const cells = steps.map((step) => {
      const time = integer(Math.round(nanoseconds(times[way], step))).padStart(way === 'set' ? 16 : 9);
      const ratio = speedup(times[way], times.set, step);
      const note = `${ratio.toFixed(1)} ×`.padStart(7);
      return way === 'set' ? time : time + (ratio < 1 ? red(note) : green(note));
    });
    const label = way === 'set' ? LABELS.set : `filter, ${LABELS[way]}`;
    console.log(`  ${label.padEnd(25)}${cells.join('')}`);
  }
}

/** Says where `one` is slower than `other`; undefined if it is not. */
function loss(times: Results['times'], one: WayName, other: WayName): string | undefined {
  const slower = steps.flatMap((step) => {
    const ratio = speedup(times[other], times[one], step);
    return ratio > 1 ? [`${step} ${ratio.toFixed(2)} ×`] : [];
  });
  return slower.length > 0 ? `Losses, ${LABELS[one]} to ${LABELS[other]}: ${slower.join(', ')}` : undefined;
}

function printLosses({ times }: Results): void {
  const losses = [
    loss(times, 'single', 'set'),
    loss(times, 'batch', 'set'),
    loss(times, 'lines', 'set'),
    loss(times, 'batch', 'single'),
  ].filter((each) => each !== undefined);
  for (const each of losses) console.log(`  ${red(each)}`);
}

function printAnswers({ presentNames, absentNames, promisedErrorRate, missed, falsePositives }: Results): void {
  // 19 of 20 samples of this many names lie within 1.96 standard deviations.
  const chance = 1.96 * Math.sqrt((promisedErrorRate * (1 - promisedErrorRate)) / absentNames);
  const print = (label: string, wrong: number, of: number, promise: string): void => {
    const share = percent(wrong / of);
    console.log(`  ${label.padEnd(25)}${integer(wrong).padStart(7)}${share.padStart(10)}   promised: ${promise}`);
  };
  heading('Wrong answers of the filter, asked for all names');
  print('present, but not found', missed, presentNames, '0 %');
  const byChance = `(± ${(100 * chance).toFixed(2)} by chance)`;
  print('absent, but found', falsePositives, absentNames, `${percent(promisedErrorRate)} ${byChance}`);
}

export function print(results: Results, seed: number): void {
  const { presentNames, absentNames, filterBytes, setBytes, times } = results;
  const [all, present, absent] = [presentNames + absentNames, presentNames, absentNames].map(integer);
  console.log(`Is this name taken? ${all} npm packages in a Bloom filter, and in a Set`);
  console.log(`${present} of their names were added. The other ${absent} serve as absent ones.`);
  printSizes(filterBytes, setBytes);
  printTimes(results);
  printLosses(results);
  printAnswers(results);
  const apart = Math.max(...ways.flatMap((way) => [middleRange(times[way].present), middleRange(times[way].absent)]));
  const rounds = `Medians of ${ROUNDS} rounds; the middle ${ROUNDS - 2} differ by up to ${Math.round(100 * apart)} %`;
  console.log(`\n×: against the Set. ${rounds}.`);
  console.log(`The same choice of names again: npm start -- --seed ${seed}`);
}
