import { omitLines } from 'bloomery';
import { Command } from 'commander';
import { loadFilter } from './filter-file.ts';
import { findInputs } from './input.ts';
import { crlfOption, examples } from './options.ts';
import { selectLines } from './select.ts';

export function omitCommand(): Command {
  return new Command('omit')
    .summary('print the lines that are certainly not in a filter')
    .description(
      'Prints the lines that are certainly not in a filter: all but those that are, and but the few that look so.\n' +
        'Exits with 0 if some line was printed, 1 if none, 2 on an error.',
    )
    .argument('<filter>', 'a file that bloomery build made; - is stdin')
    .argument('[files...]', 'texts, gzip or not; stdin if there is none, or for -')
    .addOption(crlfOption())
    .addHelpText(
      'after',
      examples('bloomery omit blocked.bloom mails.txt > clean.txt', 'bloomery omit seen.bloom today.txt.gz | head'),
    )
    .action(async (filterName: string, names: string[], { crlf }: { crlf: boolean }) => {
      const inputs = await findInputs(names, [filterName]);
      const filter = await loadFilter(filterName);
      await selectLines(inputs, crlf, (options) => omitLines(filter, options));
    });
}
