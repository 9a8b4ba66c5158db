// Is this name taken? The names of all npm packages in a Bloom filter: how small it is, how fast, and how often wrong.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { BloomFilter } from 'bloomery';
import { status } from '../../bench/shared/cli.ts';
import { loadNames, sourceOfNames } from '../names.ts';
import { integer, percent } from '../report.ts';
import { makeCorpus } from './corpus.ts';
import { measure } from './measure.ts';
import { print } from './print.ts';

const USAGE = `Usage: npm start                 measures a Bloom filter of all npm package names
       npm start -- --seed N     with the random choices of an earlier run
       npm start -- NAME...      says whether packages with these names may exist`;

/** Says for each name whether a package with it may exist. */
function answer(candidates: readonly string[]): void {
  status('loading the names …');
  const names = loadNames();
  const filter = BloomFilter.from(names);
  status('');
  const width = Math.max(...candidates.map((name) => name.length));
  for (const name of candidates) {
    const verdict = filter.has(name)
      ? `taken, most likely (${percent(filter.errorRate)} of free names look taken too)`
      : 'free, certainly: the list does not have it';
    console.log(`${name.padEnd(width)}  ${verdict}`);
  }
  console.log(`\nThe list: ${integer(names.length)} names, ${sourceOfNames()}`);
}

function report(seed: number): void {
  status('loading and shuffling the names …');
  const results = measure(makeCorpus(loadNames(), seed));
  status('');
  print(results, seed);
  const { missed } = results;
  if (missed === 0) return;
  console.error(`\nThis does not hold: a name that is in the filter is found. ${integer(missed)} were not.`);
  process.exitCode = 1;
}

/** The seed or the names that the arguments ask for; undefined if the arguments are wrong. */
function readArguments(): { seed: number; names: string[]; help: boolean } | undefined {
  const options = { seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals: names } = parseArgs({ options, allowPositionals: true });
    const { seed = String(randomInt(1_000_000)), help = false } = values;
    const isRight = /^\d{1,9}$/.test(seed) && (values.seed === undefined || names.length === 0);
    return isRight ? { seed: Number(seed), names, help } : undefined;
  } catch {
    return undefined;
  }
}

const asked = readArguments();
if (asked === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else if (asked.help) console.log(USAGE);
else if (asked.names.length > 0) answer(asked.names);
else report(asked.seed);
