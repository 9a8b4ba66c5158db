import { lines } from 'bloomery';
import { flag } from '../args/command.ts';
import { filterOperand, readFormatOption, secretFileOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, quote } from '../errors.ts';
import { loadFilter, warnIfOverfull } from '../filters/filter-file.ts';
import type { AnyFilter } from '../filters/kinds.ts';
import { write } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import { findInputs, type Inputs, requireOneStdin, STDIN } from '../text/input.ts';
import { readPieces } from '../text/pieces.ts';
import { NEWLINE } from '../text/records.ts';

/** The exit code if a key is absent, as of grep if a pattern is. */
const ABSENT = 1;

/** Prints the lines that may be in a filter. Returns whether all may be. */
async function printPresent(
  filter: AnyFilter,
  inputs: Inputs,
  print: (bytes: Uint8Array | string) => Promise<void>,
): Promise<boolean> {
  let areAllPresent = true;
  for await (const { bytes } of readPieces(inputs, NEWLINE)) {
    const keys = lines(bytes);
    const present = filter.pick(keys);
    if (present.count() < keys.count()) areAllPresent = false;
    await print(present.bytes);
    if (present.bytes.length > 0 && present.bytes.at(-1) !== NEWLINE) await print('\n');
  }
  return areAllPresent;
}

export const hasCommand = command({
  name: 'has',
  summary: 'tell whether keys may be in a filter',
  description:
    'Prints those of the keys that may be in the filter. The key - stands for the lines of stdin, each of which is a ' +
    'key; they come after the others.\n' +
    'Exits with 0 if all may be, 1 if one is certainly not, 2 on an error.',
  operands: [
    filterOperand,
    { name: 'keys', description: 'the keys to look up; - reads them from stdin', repeated: true },
  ],
  options: { quiet: flag('print nothing', 'q'), format: readFormatOption, 'secret-file': secretFileOption },
  examples: [
    'bloomery has taken.bloom ada',
    'bloomery has --quiet taken.bloom "$NAME" && echo taken',
    'bloomery has taken.bloom - < names.txt',
  ],
  async action([name = '', ...keys], { quiet, format, 'secret-file': secretFile }) {
    // Node has replaced each byte of an argument that is not UTF-8.
    const broken = keys.find((key) => key.includes('\ufffd'));
    if (broken !== undefined) {
      throw new CommandError(`${quote(broken)} may not be valid UTF-8: look it up with bloomery pick, on stdin`);
    }
    requireOneStdin([name, ...keys]);
    const inputs = keys.includes(STDIN) ? await findInputs([STDIN]) : undefined;
    const { filter } = await loadFilter(name, await readableUnder(secretFile), format);
    warnIfOverfull(filter);
    const print = quiet ? async () => {} : write;
    const given = keys.filter((key) => key !== STDIN);
    const present = filter.pick(given);
    await print(present.map((key) => `${key}\n`).join(''));
    const areLinesPresent = inputs === undefined || (await printPresent(filter, inputs, print));
    if (present.length < given.length || !areLinesPresent) process.exitCode = ABSENT;
  },
});
