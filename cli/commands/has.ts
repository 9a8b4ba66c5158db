import { flag } from '../args/command.ts';
import { filterOperand, loadOptions, readFormatOption, secretFileOption, textOptions } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { loadToLookUp } from '../filters/filter-file.ts';
import { openIfLarge } from '../filters/opened.ts';
import { write } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import type { TextFormat } from '../text/format.ts';
import type { Inputs } from '../text/input.ts';
import { counting, validOf } from '../text/records.ts';
import { belowHeader, join, readSections, unmarked } from '../text/sections.ts';
import { type AnsweringLater, selectLater } from '../text/select.ts';
import { warnOfRecords } from '../text/warnings.ts';
import { keysFrom } from './keys.ts';

/** The exit code if a key is absent, as of grep if a pattern is. */
const ABSENT = 1;

/** Prints the lines that may be in a filter, which is closed then. Returns whether all may be. */
async function printPresent(
  filter: AnsweringLater,
  inputs: Inputs,
  format: TextFormat,
  print: (bytes: Uint8Array) => Promise<void>,
): Promise<boolean> {
  let absent = 0;
  const read = counting(readSections(inputs, format), format, (records) => {
    absent += records;
  });
  const present = counting(selectLater(read, filter, 'pick'), format, (records) => {
    absent -= records;
  });
  let last: number | undefined;
  for await (const bytes of belowHeader(join(unmarked(present), format), format)) {
    await print(bytes);
    last = bytes.at(-1);
  }
  if (last !== undefined && last !== format.separator) await print(Uint8Array.of(format.separator));
  warnOfRecords(format);
  return validOf(absent, format) === 0;
}

export const hasCommand = command({
  name: 'has',
  summary: 'tell whether keys may be in a filter',
  description:
    'Prints the keys that may be in the filter. The key - stands for the lines of stdin, each of which is or has a ' +
    'key; they come after the others.\n' +
    'Exits with 0 if all keys may be in it, 1 if one certainly is not, 2 on an error.',
  operands: [
    filterOperand,
    { name: 'keys', description: 'the keys to look up; - reads them from stdin', repeated: true },
  ],
  options: {
    quiet: flag('print nothing', 'q'),
    ...loadOptions,
    format: readFormatOption,
    'secret-file': secretFileOption,
    ...textOptions,
  },
  examples: [
    'bloomery has taken.bloom ada',
    'bloomery has --quiet taken.bloom "$NAME" && echo taken',
    'bloomery has taken.bloom - < names.txt',
  ],
  async action([name = '', ...given], values) {
    const { quiet, 'secret-file': secretFile, format: system } = values;
    const { format, named, keys, inputs, bytes } = await keysFrom(name, given, values);
    const classes = await readableUnder(secretFile);
    const opened = await openIfLarge(name, classes, values, bytes);
    const filter: AnsweringLater = opened ?? (await loadToLookUp(name, classes, system));
    const print = quiet ? async () => {} : write;
    try {
      const flags = await filter.hasMany(keys);
      const present = named.filter((_, i) => flags[i]);
      const end = String.fromCharCode(format.separator);
      await print(present.map((key) => `${key}${end}`).join(''));
      const areLinesPresent = inputs === undefined || (await printPresent(filter, inputs, format, print));
      if (present.length < named.length || !areLinesPresent) process.exitCode ??= ABSENT;
    } finally {
      await filter.close?.();
    }
  },
});
