import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { Command } from 'commander';
import { CommandError, quote } from './errors.ts';
import { type AnyFilter, cellsOf, filterWriter, loadFilter, warnIfOverfull } from './filter-file.ts';
import { requireOneStdin } from './input.ts';
import { examples, outputOption } from './options.ts';

interface Named {
  readonly name: string;
  readonly filter: AnyFilter;
}

function misfit(other: Named, one: Named, difference: string): CommandError {
  return new CommandError(`${quote(other.name)} does not fit ${quote(one.name)}: ${difference}`);
}

/** @throws CommandError unless both have as many cells and hashes, and the same seed */
function requireAlike(one: Named, other: Named): void {
  const [a, b] = [cellsOf(one.filter), cellsOf(other.filter)];
  if (a.count !== b.count) throw misfit(other, one, `it has ${b.count} ${b.name}, not ${a.count}`);
  const [{ hashes, seed }, { hashes: otherHashes, seed: otherSeed }] = [one.filter, other.filter];
  if (hashes !== otherHashes) throw misfit(other, one, `it has ${otherHashes} hashes, not ${hashes}`);
  if (seed !== otherSeed) throw misfit(other, one, `its seed is ${otherSeed}, not ${seed}`);
}

/** Adds all keys of the other filter to the one. */
function mergeInto(one: Named, other: Named): void {
  const [a, b] = [one.filter, other.filter];
  if (a.kind !== b.kind) throw misfit(other, one, `it is a ${b.kind} filter, not a ${a.kind} one`);
  requireAlike(one, other);
  if (a instanceof BloomFilter && b instanceof BloomFilter) a.merge(b);
  if (a instanceof BlockedBloomFilter && b instanceof BlockedBloomFilter) a.merge(b);
  if (a instanceof CountingBloomFilter && b instanceof CountingBloomFilter) a.merge(b);
}

export function mergeCommand(): Command {
  return new Command('merge')
    .summary('make one filter of several')
    .description(
      'Makes one filter with the keys of several, which must be of one kind, size and seed: made with the same ' +
        '--capacity, --error-rate and --kind. It keeps the capacity of the first.',
    )
    .argument('<filter>', 'a file that bloomery build made; - is stdin')
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
        mergeInto(one, { name: other, filter });
        filter.dispose();
      }
      await writeFilter(one.filter);
      warnIfOverfull(one.filter);
    });
}
