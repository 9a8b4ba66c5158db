import { BloomFilter, dedupeLines } from 'bloomery';
import { Command } from 'commander';
import { warnIfOverfull } from './filter-file.ts';
import { findInputs } from './input.ts';
import { capacityOption, crlfOption, errorRateOption, examples } from './options.ts';
import { selectLines } from './select.ts';

/** A false positive loses a line here, so the default is lower than elsewhere. It takes 29 bits per key. */
const ERROR_RATE = 1e-6;

interface Options {
  readonly capacity: number;
  readonly errorRate: number;
  readonly crlf: boolean;
}

export function dedupeCommand(): Command {
  return new Command('dedupe')
    .summary('print each line once, where it first occurs')
    .description(
      'Prints each line once, where it first occurs, in constant memory.\n' +
        'A new line that looks like a repeated one is lost: about one in a million at most, unless --error-rate says ' +
        'otherwise.\nExits with 0 if any line was printed, 1 if none was, 2 on an error.',
    )
    .argument('[files...]', 'text files, gzipped or not; stdin if none is given, or for -')
    .addOption(capacityOption('the largest number of distinct lines to expect').makeOptionMandatory())
    .addOption(errorRateOption('the share of new lines that may be lost', ERROR_RATE))
    .addOption(crlfOption())
    .addHelpText(
      'after',
      examples(
        'bloomery dedupe --capacity 1e6 urls.txt > unique.txt',
        'cat logs/*.txt | bloomery dedupe --capacity 50e6 --error-rate 1e-9',
      ),
    )
    .action(async (names: string[], { capacity, errorRate, crlf }: Options) => {
      const inputs = await findInputs(names);
      const filter = new BloomFilter({ capacity, errorRate });
      await selectLines(inputs, crlf, (options) => dedupeLines(filter, options));
      warnIfOverfull(filter);
    });
}
