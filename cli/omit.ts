import { omitLines } from 'bloomery';
import { Command } from 'commander';
import { defineLookUp } from './look-up.ts';
import { examples } from './options.ts';

export function omitCommand(): Command {
  const command = new Command('omit')
    .summary('print the lines that are certainly not in a filter')
    .description(
      'Prints the lines that are certainly not in a filter: all but those that are in it, and a few that only seem to be.\n' +
        'Exits with 0 if any line was printed, 1 if none was, 2 on an error.',
    )
    .addHelpText(
      'after',
      examples('bloomery omit blocked.bloom mails.txt > clean.txt', 'bloomery omit seen.bloom today.txt.gz | head'),
    );
  return defineLookUp(command, omitLines);
}
