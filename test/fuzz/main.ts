// Damages what is read from outside, and reads it: `npm run fuzz -- 1e8`.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integerOf, misused, optionsOf } from '../shared/options.ts';
import { readers } from './readers.ts';
import { fuzz, type Tally } from './run.ts';

const USAGE = `Usage: npm run fuzz -- [CASES] [--seed N] [--only TEXT] [--case N]

Reads CASES damaged inputs, 1e6 if it is left out, with the readers whose names contain TEXT. --seed is that of all random
choices. --case runs one case again, of the reader that --only names.`;

const { values, positionals } = optionsOf(USAGE, {
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' }, case: { type: 'string' } },
});
const { only, case: number } = values;
const chosen = readers.filter(({ name }) => (number === undefined ? name.includes(only) : name === only));
if (chosen.length === 0) misused(`--only must fit one of: ${readers.map(({ name }) => name).join(', ')}`, USAGE);
const shares = chosen.reduce((sum, { share }) => sum + share, 0);
const all = integerOf('CASES', positionals[0] ?? '1e6', 1, USAGE);
const seed = integerOf('--seed', values.seed, 0, USAGE);
const first = number === undefined ? undefined : integerOf('--case', number, 0, USAGE);
const tallies: Tally[] = [];
for (const reader of chosen) {
  const cases =
    first === undefined ? { count: Math.max(1, Math.round((all * reader.share) / shares)) } : { first, count: 1 };
  tallies.push(await fuzz(reader, { seed, folder: join(tmpdir(), 'bloomery-fuzz'), ...cases }));
  console.log(`${reader.name}: done`);
}
console.table(
  tallies.map(({ name, read, refused, time, slowest }) => ({
    ...{ name, read, refused, 'µs per case': Math.round((1000 * time) / (read + refused)) },
    ...{ 'slowest, ms': slowest.time, number: slowest.number },
  })),
);
// Memory that threads share, and clients of servers, may have left timers.
process.exit();
