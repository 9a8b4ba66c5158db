import { omitLines } from 'bloomery';
import { Command } from 'commander';
import { looksUp } from './look-up.ts';
import { examples } from './options.ts';

export function omitCommand(): Command {
  const command = new Command('omit')
    .summary('print the lines that are certainly not in a filter')
    .description(
      'Prints the lines that are certainly not in a filter: all but those that are, and but the few that look so.\n' +
        'Exits with 0 if some line was printed, 1 if none, 2 on an error.',
    )
    .addHelpText(
      'after',
      examples('bloomery omit blocked.bloom mails.txt > clean.txt', 'bloomery omit seen.bloom today.txt.gz | head'),
    );
  return looksUp(command, omitLines);
}
