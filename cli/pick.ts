import { pickLines } from 'bloomery';
import { Command } from 'commander';
import { looksUp } from './look-up.ts';
import { examples } from './options.ts';

export function pickCommand(): Command {
  const command = new Command('pick')
    .summary('print the lines that may be in a filter')
    .description(
      'Prints the lines that may be in a filter: all that are, and of the others as few as its error rate says.\n' +
        'Exits with 0 if some line was printed, 1 if none, 2 on an error.',
    )
    .addHelpText(
      'after',
      examples('bloomery pick taken.bloom wanted.txt', 'zcat log.gz | cut -f1 | bloomery pick blocked.bloom | sort'),
    );
  return looksUp(command, pickLines);
}
