import { CommandError, nameOf } from './errors.ts';
import { plural, rate } from './figures.ts';
import { reportSaved } from './fill.ts';
import { filterWriter, loadGrowing } from './filter-file.ts';
import { refusalOf } from './full.ts';
import { requireOneStdin } from './input.ts';
import type { GrowingFilter } from './kinds.ts';
import { filterOperand, filterOutputOption } from './options.ts';
import { command } from './parse.ts';

interface Named {
  readonly name: string;
  readonly filter: GrowingFilter;
}

/** In what `other` differs from `one`, and what to do about it; undefined if the two can be merged. */
function differenceOf({ name, filter: one }: Named, { name: otherName, filter: other }: Named): string | undefined {
  if (one.kind !== other.kind) {
    return `it is a ${other.kind} filter, not a ${one.kind} one; build it with --kind ${one.kind}`;
  }
  if (one.cellCount !== other.cellCount || one.cellBits !== other.cellBits || one.hashes !== other.hashes) {
    const promiseOf = ({ capacity, errorRate }: GrowingFilter): string =>
      `${plural(capacity, 'key')} at an error rate of ${rate(errorRate)}`;
    const capacity = Math.max(one.capacity, other.capacity);
    const errorRate = Math.min(one.errorRate, other.errorRate);
    const isEnough = (filter: GrowingFilter): boolean => filter.capacity === capacity && filter.errorRate === errorRate;
    const rebuilt = isEnough(one) ? nameOf(otherName) : isEnough(other) ? nameOf(name) : 'both';
    return (
      `it was made for ${promiseOf(other)}, not for ${promiseOf(one)}; ` +
      `build ${rebuilt} with --capacity ${capacity} --error-rate ${errorRate}`
    );
  }
  return one.seed === other.seed ? undefined : `its seed is ${other.seed}; build it with --seed ${one.seed}`;
}

/** @throws CommandError unless the two can be merged */
function requireAlike(one: Named, other: Named): void {
  const difference = differenceOf(one, other);
  if (difference === undefined) return;
  throw new CommandError(`${nameOf(other.name)} does not fit ${nameOf(one.name)}: ${difference}`);
}

/** @throws CommandError unless filters of this kind can be merged */
function requireMerging({ name, filter }: Named): void {
  if ('merge' in filter) return;
  throw new CommandError(
    `${nameOf(name)} is a ${filter.kind} filter, and such filters cannot be merged: build one from the lines of all`,
  );
}

/** What all kinds have that can be merged. The types do not say that both filters are of the same kind. */
interface Merging {
  merge(other: GrowingFilter): unknown;
}

/** @throws CommandError unless the two can be merged, and there is room for the keys of both */
function merge(one: Named, other: Named): void {
  requireAlike(one, other);
  try {
    (one.filter as object as Merging).merge(other.filter);
  } catch (error) {
    const { reason } = refusalOf(error) ?? {};
    if (reason === undefined) throw error;
    const message = `${nameOf(other.name)} does not fit into ${nameOf(one.name)}: ${reason}`;
    throw new CommandError(`${message}; build both with a larger --capacity`, { cause: error });
  }
}

export const mergeCommand = command({
  name: 'merge',
  summary: 'merge several filters into one',
  description:
    'Merges several filters into one that has the keys of all. They must have been made with the same --capacity, ' +
    '--error-rate, --kind and --seed, which the result has too.',
  operands: [filterOperand, { name: 'others', description: 'the filters to merge into it', repeated: true }],
  options: { output: filterOutputOption },
  examples: [
    'bloomery merge monday.bloom tuesday.bloom -o week.bloom',
    'bloomery merge week.bloom today.bloom -o week.bloom',
  ],
  async action([name = '', ...others], { output }) {
    requireOneStdin([name, ...others]);
    const writeFilter = await filterWriter(output);
    const { filter } = await loadGrowing(name);
    requireMerging({ name, filter });
    for (const other of others) {
      const { filter: added } = await loadGrowing(other);
      merge({ name, filter }, { name: other, filter: added });
      added.dispose();
    }
    await writeFilter(filter);
    reportSaved(filter, output);
  },
});
