import { type Command, flag } from './command.ts';
import { loadFilter, warnIfOverfull } from './filter-file.ts';
import { findReadableInputs } from './input.ts';
import { selectKeys, type TextKeys } from './keys.ts';
import { filesOperand, filterOperand, textOptions, textOutputOption } from './options.ts';
import { writerTo } from './output.ts';
import { command } from './parse.ts';
import { countRecords, formatOf } from './records.ts';
import { requireOther } from './same-file.ts';
import { selectLines } from './select.ts';
import { join } from './text.ts';

interface Words {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** Makes the command pick or omit: it prints the lines that this method of the filter selects. */
export function lookUpCommand(verb: 'pick' | 'omit', words: Words): Command {
  return command({
    ...words,
    name: verb,
    operands: [filterOperand, filesOperand],
    options: {
      count: flag('print only the number of these lines', 'c'),
      quiet: flag('print nothing; end with 0 at the first of these lines', 'q'),
      output: textOutputOption,
      ...textOptions,
    },
    async action([name = '', ...names], { count, quiet, output, ...values }) {
      const format = formatOf(values);
      const inputs = await findReadableInputs(names, [name]);
      await requireOther(output, [name, ...inputs.names]);
      const writeText = await writerTo(output);
      const { filter } = await loadFilter(name);
      warnIfOverfull(filter);
      const select = <K extends TextKeys>(keys: K): K[] => [selectKeys(keys, (some) => filter[verb](some))];
      const writesToTerminal = output === '-' && !count && !quiet;
      const pieces = selectLines(inputs, format, select, writesToTerminal);
      if (quiet) {
        const { done } = await pieces.next();
        await pieces.return(undefined);
        if (!done) process.exitCode = 0;
      } else if (count) {
        let total = 0;
        for await (const { bytes } of pieces) total += countRecords(bytes, format);
        await writeText([Buffer.from(`${total}\n`)]);
      } else {
        await writeText(join(pieces, format));
      }
    },
  });
}
