import { pickLines } from 'bloomery';
import { Command } from 'commander';
import { defineLookUp } from './look-up.ts';
import { examples } from './options.ts';

export function pickCommand(): Command {
  const command = new Command('pick')
    .summary('print the lines that may be in a filter')
    .description(
      'Prints the lines that may be in a filter: all that are, and a few others, as many as its error rate allows.\n' +
        'Exits with 0 if any line was printed, 1 if none was, 2 on an error.',
    )
    .addHelpText(
      'after',
      examples('bloomery pick taken.bloom wanted.txt', 'zcat log.gz | cut -f1 | bloomery pick blocked.bloom | sort'),
    );
  return defineLookUp(command, pickLines);
}
