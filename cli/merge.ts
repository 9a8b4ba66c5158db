import { Command } from 'commander';
import { CommandError, quote } from './errors.ts';
import { filterWriter, loadFilter, warnIfOverfull } from './filter-file.ts';
import { requireOneStdin } from './input.ts';
import type { AnyFilter } from './kinds.ts';
import { examples, outputOption } from './options.ts';

interface Named {
  readonly name: string;
  readonly filter: AnyFilter;
}

function misfit(other: Named, one: Named, difference: string): CommandError {
  return new CommandError(`${quote(other.name)} does not fit ${quote(one.name)}: ${difference}`);
}

/** @throws CommandError unless both have the same kind, number of cells, number of hashes, and seed */
function requireAlike(one: Named, other: Named): void {
  const [a, b] = [one.filter, other.filter];
  if (a.kind !== b.kind) throw misfit(other, one, `it is a ${b.kind} filter, not a ${a.kind} one`);
  if (a.cellCount !== b.cellCount) {
    throw misfit(other, one, `it has ${b.cellCount} ${b.cellName}, not ${a.cellCount}`);
  }
  if (a.hashes !== b.hashes) throw misfit(other, one, `it has ${b.hashes} hashes, not ${a.hashes}`);
  if (a.seed !== b.seed) throw misfit(other, one, `its seed is ${b.seed}, not ${a.seed}`);
}

export function mergeCommand(): Command {
  return new Command('merge')
    .summary('make one filter of several')
    .description(
      'Makes one filter with the keys of several, which must be of one kind, size and seed: made with the same ' +
        '--capacity, --error-rate and --kind. It keeps the capacity of the first.',
    )
    .argument('<filter>', 'a filter file, made by bloomery build; - is stdin')
    .argument('<others...>', 'those to merge into it')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(
        'bloomery merge monday.bloom tuesday.bloom -o week.bloom',
        'bloomery merge week.bloom today.bloom -o week.bloom',
      ),
    )
    .action(async (name: string, others: string[], { output }: { output: string }) => {
      requireOneStdin([name, ...others]);
      const writeFilter = await filterWriter(output);
      const one = { name, filter: await loadFilter(name) };
      for (const other of others) {
        const filter = await loadFilter(other);
        requireAlike(one, { name: other, filter });
        one.filter.merge(filter);
        filter.dispose();
      }
      await writeFilter(one.filter);
      warnIfOverfull(one.filter);
    });
}
