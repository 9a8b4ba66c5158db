import { lookUpCommand } from './look-up.ts';

export const omitCommand = lookUpCommand('omit', {
  summary: 'print the lines that are certainly not in a filter',
  description:
    'Prints the lines that are certainly not in a filter. Of the lines that are not in it, a few seem to be, and are ' +
    'not printed: as many as its error rate allows.\n' +
    'Exits with 0 if any line was selected, 1 if none was, 2 on an error.',
  examples: [
    'bloomery omit blocked.bloom mails.txt > clean.txt',
    'bloomery omit blocked.bloom users.csv --field 3 --delimiter , -o clean.csv',
    'bloomery omit --count seen.bloom today.txt.gz',
  ],
});
