// The comparison of all kinds as Markdown.

import type { Comparison, KindsResult } from './kinds-results.ts';
import { integer, nanoseconds, tableOf } from './report.ts';
import type { Spread } from './statistics.ts';

/** What the tables say. */
function meaningOf(rounds: number): string {
  return (
    `Nanoseconds per key: the median of ${rounds} rounds, with the lowest and the highest. Keys are 32-bit integers, ` +
    'in batches; a `Set`, a `Map` and the peers take them one by one, the peers as strings. Build: a filter is made, ' +
    'and all keys are added. Hits: absent keys reported as present, of as many as there are keys; found: their share; ' +
    'estimated: what the filter says. Bits per key of a `Set`, a `Map` and the peers are those of all their memory.'
  );
}

function time({ median, lowest, highest }: Spread): string {
  return `${nanoseconds(median)} (${nanoseconds(lowest)}–${nanoseconds(highest)})`;
}

function percent(share: number): string {
  return String(Number((100 * share).toPrecision(3)));
}

function tableFor(results: readonly KindsResult[]): string {
  const rows = results.map(({ subject, keys, bytes, build, hit, miss, found, estimatedErrorRate }) => [
    subject,
    ((8 * bytes) / keys).toFixed(1),
    time(build),
    time(hit),
    time(miss),
    integer.format(found),
    percent(found / keys),
    percent(estimatedErrorRate),
  ]);
  const header = ['', 'bits per key', 'build', 'look up, present', 'look up, absent', 'hits', 'found %', 'estimated %'];
  return tableOf(header, rows, ['left', ...Array<'right'>(7).fill('right')]);
}

/** A table with its title, and what was left out of it. */
function sectionsOf({ keys, errorRate, results, losers, overtaxed }: Comparison): string[] {
  const count = integer.format(keys);
  const wrong = losers.map(({ subject, lost }) => `${subject}: not timed, for it loses ${integer.format(lost)} keys.`);
  const large = overtaxed.map(({ name, mostKeys }) => `${name}: not timed above ${integer.format(mostKeys)} keys.`);
  return [`## ${count} keys at ${percent(errorRate)} %`, tableFor(results), ...wrong, ...large];
}

/** The tables of all `comparisons`, after what they say. */
export function kindsText(comparisons: readonly Comparison[], rounds: number): string[] {
  return [meaningOf(rounds), ...comparisons.flatMap(sectionsOf)];
}
