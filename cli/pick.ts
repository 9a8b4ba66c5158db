import { lookUpCommand } from './look-up.ts';

export const pickCommand = lookUpCommand('pick', {
  summary: 'print the lines that may be in a filter',
  description:
    'Prints the lines that may be in a filter: all that are, and a few others, as many as its error rate allows.\n' +
    'Exits with 0 if any line was selected, 1 if none was, 2 on an error.',
  examples: [
    'bloomery pick taken.bloom wanted.txt',
    'zcat log.gz | bloomery pick blocked.bloom --field 2 | sort',
    'find . -type f -print0 | bloomery pick -z known.bloom',
  ],
});
