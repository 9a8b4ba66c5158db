import type { Filter, LineOptions } from 'bloomery';
import type { Command } from 'commander';
import { loadFilter } from './filter-file.ts';
import { findInputs } from './input.ts';
import { crlfOption } from './options.ts';
import { type LineSelector, selectLines } from './select.ts';

/**
 * Gives a command, pick or omit, its arguments and its action: printing the lines that the filter's stream selects.
 */
export function defineLookUp(
  command: Command,
  streamOf: (filter: Filter, options: LineOptions) => LineSelector,
): Command {
  return command
    .argument('<filter>', 'a filter file, made by bloomery build; - is stdin')
    .argument('[files...]', 'text files, gzipped or not; stdin if none is given, or for -')
    .addOption(crlfOption())
    .action(async (filterName: string, names: string[], { crlf }: { crlf: boolean }) => {
      const inputs = await findInputs(names, [filterName]);
      const filter = await loadFilter(filterName);
      await selectLines(inputs, crlf, (options) => streamOf(filter, options));
    });
}
