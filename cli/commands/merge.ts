import { FilterFullError } from 'bloomery';
import { filterOperand, filterOutputOption, secretFileOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, nameOf } from '../errors.ts';
import { memoryError } from '../filters/exact.ts';
import { filterWriter, loadFilter, reportSaved } from '../filters/filter-file.ts';
import { type AnyFilter, hasLabels, isExact, isForeign, isSet, type Merging } from '../filters/kinds.ts';
import { readableUnder } from '../filters/secret.ts';
import { plural, rate } from '../numbers.ts';
import { requireOneStdin } from '../text/input.ts';

interface Named {
  readonly name: string;
  readonly filter: AnyFilter;
}

/** In what `other` differs from `one`, and what to do about it; undefined if the two can be merged. */
function differenceOf({ name, filter: one }: Named, { name: otherName, filter: other }: Named): string | undefined {
  // The command does not build filters of labeled keys.
  const remedy = (text: string): string => (hasLabels(one.kind) ? '' : `; build ${text}`);
  if (one.kind !== other.kind) {
    return `it is a ${other.kind} filter, not a ${one.kind} one${remedy(`it with --${isForeign(one) ? 'format' : 'kind'} ${one.kind}`)}`;
  }
  const [labels, otherLabels] = [one, other].map((filter) => ('labels' in filter ? filter.labels : 0));
  if (labels !== otherLabels) return `its labels go up to ${otherLabels}, not ${labels}`;
  const areAlike = one.cellCount === other.cellCount && one.cellBits === other.cellBits && one.hashes === other.hashes;
  if (!areAlike && !isExact(one)) {
    const promiseOf = ({ capacity, errorRate }: AnyFilter): string =>
      `${plural(capacity, 'key')} at an error rate of ${rate(errorRate)}`;
    const capacity = Math.max(one.capacity, other.capacity);
    const errorRate = Math.min(one.errorRate, other.errorRate);
    const isEnough = (filter: AnyFilter): boolean => filter.capacity === capacity && filter.errorRate === errorRate;
    const rebuilt = isEnough(one) ? nameOf(otherName) : isEnough(other) ? nameOf(name) : 'both';
    const options = `--capacity ${capacity} --error-rate ${errorRate}`;
    return `it was made for ${promiseOf(other)}, not for ${promiseOf(one)}${remedy(`${rebuilt} with ${options}`)}`;
  }
  return one.seed === other.seed ? undefined : `its seed is ${other.seed}${remedy(`it with --seed ${one.seed}`)}`;
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

/** @throws CommandError unless the two can be merged, and there is room for the keys of both */
function merge(one: Named, other: Named): void {
  requireAlike(one, other);
  try {
    (one.filter as object as Merging).merge(other.filter);
  } catch (error) {
    if (!(error instanceof FilterFullError)) throw error;
    if (isSet(one.filter)) throw memoryError(one.filter, 'such sets cannot be merged', error);
    const message = `${nameOf(other.name)} does not fit into ${nameOf(one.name)}: ${error.reason}`;
    throw new CommandError(`${message}; build both with a larger --capacity`, { cause: error });
  }
}

export const mergeCommand = command({
  name: 'merge',
  summary: 'merge several filters into one',
  description:
    'Merges several filters into one that has the keys of all. They must have been made with the same --capacity, ' +
    '--error-rate, --kind and --seed or --secret-file, which the result has too. Sets of any size can be merged.',
  operands: [filterOperand, { name: 'others', description: 'the filters to merge into it', repeated: true }],
  options: { output: filterOutputOption, 'secret-file': secretFileOption },
  examples: [
    'bloomery merge monday.bloom tuesday.bloom -o week.bloom',
    'bloomery merge week.bloom today.bloom -o week.bloom',
  ],
  async action([name = '', ...others], { output, 'secret-file': secretFile }) {
    requireOneStdin([name, ...others]);
    const writeFilter = await filterWriter(output);
    const classes = await readableUnder(secretFile, output);
    const { filter } = await loadFilter(name, classes);
    requireMerging({ name, filter });
    for (const other of others) {
      const { filter: added } = await loadFilter(other, classes);
      merge({ name, filter }, { name: other, filter: added });
      added.dispose();
    }
    await writeFilter(filter);
    reportSaved(filter, output);
  },
});
