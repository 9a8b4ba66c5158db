import { CommandError, quote } from './errors.ts';
import { plural, rate } from './figures.ts';
import { filterWriter, loadFilter, warnIfOverfull } from './filter-file.ts';
import { requireOneStdin } from './input.ts';
import type { AnyFilter } from './kinds.ts';
import { filterOperand, filterOutputOption } from './options.ts';
import { command } from './parse.ts';

interface Named {
  readonly name: string;
  readonly filter: AnyFilter;
}

/** The options with which `bloomery build` makes a filter that fits this one. */
function optionsLike({ capacity, errorRate, kind, seed }: AnyFilter): string {
  const options = [`--capacity ${capacity}`];
  if (errorRate !== 0.01) options.push(`--error-rate ${errorRate}`);
  if (kind !== 'classic') options.push(`--kind ${kind}`);
  if (seed !== 0) options.push(`--seed ${seed}`);
  return options.join(' ');
}

/** In what `other` differs from `one`; undefined if the two can be merged. */
function differenceOf(one: AnyFilter, other: AnyFilter): string | undefined {
  if (one.kind !== other.kind) return `it is a ${other.kind} filter, not a ${one.kind} one`;
  if (one.cellCount !== other.cellCount || one.hashes !== other.hashes) {
    const promiseOf = ({ capacity, errorRate }: AnyFilter): string =>
      `${plural(capacity, 'key')} at an error rate of ${rate(errorRate)}`;
    return `it was made for ${promiseOf(other)}, not for ${promiseOf(one)}`;
  }
  return one.seed === other.seed ? undefined : `its seed is ${other.seed}, not ${one.seed}`;
}

/** @throws CommandError unless the two can be merged */
function requireAlike(one: Named, other: Named): void {
  const difference = differenceOf(one.filter, other.filter);
  if (difference === undefined) return;
  throw new CommandError(
    `${quote(other.name)} does not fit ${quote(one.name)}: ${difference}; ` +
      `build it with ${optionsLike(one.filter)}, or both with the same larger capacity`,
  );
}

export const mergeCommand = command({
  name: 'merge',
  summary: 'make one filter of several',
  description:
    'Makes one filter with the keys of several. They must have been made with the same --capacity, --error-rate, ' +
    '--kind and --seed, which the result has too.',
  operands: [filterOperand, { name: 'others', description: 'the filters to merge into it', repeated: true }],
  options: { output: filterOutputOption },
  examples: [
    'bloomery merge monday.bloom tuesday.bloom -o week.bloom',
    'bloomery merge week.bloom today.bloom -o week.bloom',
  ],
  async action([name = '', ...others], { output }) {
    requireOneStdin([name, ...others]);
    const writeFilter = await filterWriter(output);
    const { filter } = await loadFilter(name);
    for (const other of others) {
      const { filter: added } = await loadFilter(other);
      requireAlike({ name, filter }, { name: other, filter: added });
      filter.merge(added);
      added.dispose();
    }
    await writeFilter(filter);
    warnIfOverfull(filter);
  },
});
