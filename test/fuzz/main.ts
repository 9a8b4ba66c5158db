// Damages what is read from outside, and reads it: `npm run fuzz -- 1e8`.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readers } from './readers.ts';
import { fuzz, repeat, type Tally } from './run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The seed of all random choices. */
    seed: { type: 'string', default: '1' },
    /** The minutes after which the run ends. */
    minutes: { type: 'string', default: 'Infinity' },
    /** Runs the readers whose names contain a text. */
    only: { type: 'string', default: '' },
    /** Runs one case again, of the reader with this very name. */
    case: { type: 'string' },
  },
});

const folder = join(tmpdir(), 'bloomery-fuzz');
const seed = Number(values.seed);
const grouped = new Intl.NumberFormat('en');

function row(cells: readonly string[], [name = '', ...numbers] = cells): string {
  return `${name.padEnd(28)}${numbers.map((cell) => cell.padStart(14)).join('')}`;
}

function print(tallies: readonly Tally[]): void {
  console.log(row(['', 'cases', 'read', 'refused', 'µs per case', 'slowest, ms', 'its number']));
  let [read, refused, time] = [0, 0, 0];
  for (const tally of tallies) {
    const count = tally.read + tally.refused;
    const numbers = [count, tally.read, tally.refused].map((each) => grouped.format(each));
    const times = [((1000 * tally.time) / count).toFixed(1), tally.slowest.time.toFixed(1)];
    console.log(row([tally.name, ...numbers, ...times, String(tally.slowest.number)]));
    read += tally.read;
    refused += tally.refused;
    time += tally.time;
  }
  const sums = [read + refused, read, refused].map((each) => grouped.format(each));
  console.log(row(['all', ...sums, ((1000 * time) / (read + refused)).toFixed(1), '', '']));
}

if (values.case === undefined) {
  const begun = performance.now();
  const minutes = (): string => `${((performance.now() - begun) / 60_000).toFixed(1)} min`;
  const chosen = readers.filter(({ name }) => name.includes(values.only));
  const tallies = await fuzz(chosen, {
    count: Number(positionals[0] ?? 1e6),
    seed,
    limit: 60_000 * Number(values.minutes),
    folder,
    onProgress(tallies) {
      const done = tallies.reduce((sum, { read, refused }) => sum + read + refused, 0);
      console.log(`${minutes()}: ${grouped.format(done)} cases`);
    },
  });
  print(tallies);
  const memory = Math.round(process.resourceUsage().maxRSS / 1000);
  console.log(`seed ${seed}, Node ${process.version}, ${minutes()}, at most ${memory} MB of memory`);
} else {
  const reader = readers.find(({ name }) => name === values.only);
  if (reader === undefined) throw new Error(`--only must be one of: ${readers.map(({ name }) => name).join(', ')}`);
  print([await repeat(reader, seed, Number(values.case), folder)]);
}
// Memory that threads share, and clients of servers, may have left timers.
process.exit();
