import { pickLines } from 'bloomery';
import { Command } from 'commander';
import { loadFilter } from './filter-file.ts';
import { findInputs } from './input.ts';
import { crlfOption, examples } from './options.ts';
import { selectLines } from './select.ts';

export function pickCommand(): Command {
  return new Command('pick')
    .summary('print the lines that may be in a filter')
    .description(
      'Prints the lines that may be in a filter: all that are, and of the others as few as its error rate says.\n' +
        'Exits with 0 if some line was printed, 1 if none, 2 on an error.',
    )
    .argument('<filter>', 'a file that bloomery build made; - is stdin')
    .argument('[files...]', 'texts, gzip or not; stdin if there is none, or for -')
    .addOption(crlfOption())
    .addHelpText(
      'after',
      examples('bloomery pick taken.bloom wanted.txt', 'zcat log.gz | cut -f1 | bloomery pick blocked.bloom | sort'),
    )
    .action(async (filterName: string, names: string[], { crlf }: { crlf: boolean }) => {
      const inputs = await findInputs(names, [filterName]);
      const filter = await loadFilter(filterName);
      await selectLines(inputs, crlf, (options) => pickLines(filter, options));
    });
}
