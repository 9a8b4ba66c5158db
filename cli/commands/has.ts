import { type Keys, lines, type ManyKeys, type Picked } from 'bloomery';
import { flag } from '../args/command.ts';
import { filterOperand, loadOptions, readFormatOption, secretFileOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, quote } from '../errors.ts';
import { loadFilter, warnIfOverfull } from '../filters/filter-file.ts';
import type { ReadableClass } from '../filters/kinds.ts';
import { openIfLarge } from '../filters/opened.ts';
import { write } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import { findInputs, type Inputs, requireOneStdin, STDIN } from '../text/input.ts';
import { readPieces } from '../text/pieces.ts';
import { NEWLINE } from '../text/records.ts';

/** The exit code if a key is absent, as of grep if a pattern is. */
const ABSENT = 1;

/** A filter in memory, or one that is not loaded. */
interface Asked {
  pick<K extends Keys>(keys: ManyKeys<K>): Picked<K> | Promise<Picked<K>>;
  close?(): Promise<void>;
}

async function load(name: string, classes: readonly ReadableClass[], format: string | undefined): Promise<Asked> {
  const { filter } = await loadFilter(name, classes, format);
  warnIfOverfull(filter);
  return filter;
}

/** Prints the lines that may be in a filter. Returns whether all may be. */
async function printPresent(
  filter: Asked,
  inputs: Inputs,
  print: (bytes: Uint8Array | string) => Promise<void>,
): Promise<boolean> {
  let areAllPresent = true;
  for await (const { bytes } of readPieces(inputs, NEWLINE)) {
    const keys = lines(bytes);
    const present = await filter.pick(keys);
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
  options: {
    quiet: flag('print nothing', 'q'),
    ...loadOptions,
    format: readFormatOption,
    'secret-file': secretFileOption,
  },
  examples: [
    'bloomery has taken.bloom ada',
    'bloomery has --quiet taken.bloom "$NAME" && echo taken',
    'bloomery has taken.bloom - < names.txt',
  ],
  async action([name = '', ...keys], { quiet, 'secret-file': secretFile, ...wish }) {
    // Node has replaced each byte of an argument that is not UTF-8.
    const broken = keys.find((key) => key.includes('\ufffd'));
    if (broken !== undefined) {
      throw new CommandError(`${quote(broken)} may not be valid UTF-8: look it up with bloomery pick, on stdin`);
    }
    requireOneStdin([name, ...keys]);
    const inputs = keys.includes(STDIN) ? await findInputs([STDIN]) : undefined;
    const given = keys.filter((key) => key !== STDIN);
    const classes = await readableUnder(secretFile);
    const keyBytes = inputs ? inputs.size : given.join('').length;
    const filter = (await openIfLarge(name, classes, wish, keyBytes)) ?? (await load(name, classes, wish.format));
    const print = quiet ? async () => {} : write;
    const present = await filter.pick(given);
    await print(present.map((key) => `${key}\n`).join(''));
    const areLinesPresent = inputs === undefined || (await printPresent(filter, inputs, print));
    await filter.close?.();
    if (present.length < given.length || !areLinesPresent) process.exitCode = ABSENT;
  },
});
