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

type Sums = Pick<Tally, 'name' | 'read' | 'refused' | 'time'>;

function rowOf({ name, read, refused, time }: Sums) {
  const cases = read + refused;
  return { name, cases, read, refused, 'µs per case': Math.round((1000 * time) / cases) };
}

function print(tallies: readonly Tally[]): void {
  const sum = (field: 'read' | 'refused' | 'time') => tallies.reduce((all, tally) => all + tally[field], 0);
  const rows = tallies.map(({ slowest: { time, number }, ...sums }) => ({
    ...rowOf(sums),
    'slowest, ms': time,
    number,
  }));
  console.table([...rows, rowOf({ name: 'all', read: sum('read'), refused: sum('refused'), time: sum('time') })]);
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
