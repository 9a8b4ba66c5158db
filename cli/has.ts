import { flag } from './command.ts';
import { CommandError, quote } from './errors.ts';
import { loadFilter, warnIfOverfull } from './filter-file.ts';
import { filterOperand } from './options.ts';
import { write } from './output.ts';
import { command } from './parse.ts';

/** The exit code if a key is absent, as of grep if a pattern is. */
const ABSENT = 1;

export const hasCommand = command({
  name: 'has',
  summary: 'tell whether keys may be in a filter',
  description:
    'Prints those of the keys that may be in the filter.\n' +
    'Exits with 0 if all may be, 1 if one is certainly not, 2 on an error.',
  operands: [filterOperand, { name: 'keys', description: 'the keys to look up', repeated: true }],
  options: { quiet: flag('print nothing', 'q') },
  examples: ['bloomery has taken.bloom ada', 'bloomery has --quiet taken.bloom "$NAME" && echo taken'],
  async action([name = '', ...keys], { quiet }) {
    // Node has replaced each byte of an argument that is not UTF-8.
    const broken = keys.find((key) => key.includes('\ufffd'));
    if (broken !== undefined) {
      throw new CommandError(`${quote(broken)} may not be valid UTF-8: look it up with bloomery pick, on stdin`);
    }
    const { filter } = await loadFilter(name);
    warnIfOverfull(filter);
    const present = filter.pick(keys);
    if (!quiet) await write(present.map((key) => `${key}\n`).join(''));
    if (present.length < keys.length) process.exitCode = ABSENT;
  },
});
