import { type Command, flag } from '../args/command.ts';
import {
  allowNoneOption,
  filesOperand,
  filterOperand,
  listOption,
  loadOptions,
  readFormatOption,
  secretFileOption,
  textOptions,
  textOutputOption,
  threadsOption,
} from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, inform, wordOf } from '../errors.ts';
import { loadToLookUp } from '../filters/filter-file.ts';
import { isExact, isForeign } from '../filters/kinds.ts';
import { decidedText, isDecisionSaid, mistakesAfter } from '../filters/mistakes.ts';
import { openIfLarge, rateOf } from '../filters/opened.ts';
import { requireOther, writerTo } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import type { Section } from '../text/cut.ts';
import { formatOf, recordNoun } from '../text/format.ts';
import { findInputs, findReadableInputs } from '../text/input.ts';
import { type Part, readParts } from '../text/parts.ts';
import { withProgress } from '../text/progress.ts';
import { counting } from '../text/records.ts';
import { belowHeader, join, readSections } from '../text/sections.ts';
import { selectBy, selectLater, selectLines, untilEnd } from '../text/select.ts';
import { threadsFor } from '../threads/count.ts';
import { setOf } from './lists.ts';

interface Words {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** The options that say how a filter is read. */
const filterOptions = { ...loadOptions, format: readFormatOption, 'secret-file': secretFileOption };

/** @throws CommandError if an option is about a filter, of which there is none */
function requireNoFilterOption(given: Readonly<Record<string, unknown>>): void {
  const found = Object.keys(filterOptions).find((name) => given[name]);
  if (found !== undefined) throw new CommandError(`--${found} is about a filter, and does not go with --list`);
}

/** What to do with a text that is given in place of a filter. */
const hintFor = (name: string): string => `to look lines up in a text, pass --list ${wordOf(name)}`;

/** Makes the command pick or omit: it prints the lines that this method of the filter selects. */
function lookUpCommand(verb: 'pick' | 'omit', words: Words): Command {
  return command({
    ...words,
    name: verb,
    operands: [
      { ...filterOperand, description: `${filterOperand.description}; none with --list`, optional: true },
      filesOperand,
    ],
    options: {
      count: flag('print only the number of these lines', 'c'),
      quiet: flag('print nothing; end with 0 at the first of these lines', 'q'),
      'allow-none': allowNoneOption,
      output: textOutputOption,
      threads: threadsOption,
      list: listOption,
      ...filterOptions,
      ...textOptions,
    },
    async action(operands, given) {
      const { count, quiet, output, threads: wanted, 'secret-file': secretFile, ...values } = given;
      const allowsNone = values['allow-none'];
      if (quiet && allowsNone)
        throw new CommandError('--allow-none does not go with --quiet, which only sets the exit code');
      if (quiet && output !== '-') throw new CommandError('--output does not go with --quiet, which prints nothing');
      const format = formatOf(values);
      const lists = given.list.length > 0 ? await findInputs(given.list) : undefined;
      if (lists) requireNoFilterOption(given);
      const [name = '', ...names] = lists ? ['', ...operands] : operands;
      if (operands.length === 0 && !lists) throw new CommandError('missing argument: <filter>, or --list <file>');
      const others = lists?.names ?? [name];
      const inputs = await findReadableInputs(names, others);
      await requireOther(output, [...others, ...inputs.names]);
      const classes = await readableUnder(secretFile, output);
      const writer = await writerTo(output);
      const opened = lists ? undefined : await openIfLarge(name, classes, given, inputs.size);
      const writesLines = output === '-' && !count && !quiet;
      const watch = <P extends Part>(parts: AsyncGenerator<P>): AsyncGenerator<P> =>
        withProgress(parts, inputs, format, writesLines);
      let [errorRate, isSure] = opened ? [rateOf(opened), isExact(opened.parameters)] : [undefined, false];
      const selectLoaded = async (): Promise<AsyncGenerator<Section>> => {
        const filter = lists
          ? await setOf(lists, format, wanted)
          : await loadToLookUp(name, classes, given.format, hintFor(name));
        isSure = isExact(filter);
        if (!quiet && isDecisionSaid(isSure)) errorRate = filter.estimateErrorRate();
        const threads = threadsFor(wanted, inputs);
        // With --quiet, the first line may be all that is wanted. One thread does not need the code for several, and
        // those know neither the secret nor the formats of other systems.
        const mayShare = threads.count > 1 && !quiet && secretFile === undefined && !isForeign(filter);
        const several = mayShare ? await import('../threads/select.ts') : undefined;
        const selectInThreads = several?.selectorFor(filter, threads);
        return selectInThreads
          ? selectInThreads(watch(readParts(inputs, format, threads.after)), format, threads, filter, verb)
          : selectLines(watch(readSections(inputs, format)), selectBy(filter, verb));
      };
      const selected = opened ? selectLater(watch(readSections(inputs, format)), opened, verb) : await selectLoaded();
      const lines = untilEnd(selected, format, allowsNone);
      if (quiet) {
        const { done } = await lines.next();
        await lines.return(undefined);
        if (!done) process.exitCode = 0;
        return;
      }
      const isSaid = isDecisionSaid(isSure);
      if (isSaid) format.tally.keys = 0;
      let kept = 0;
      const counted = counting(lines, format, (records) => {
        kept += records;
      });
      if (count) {
        for await (const _ of counted);
        await writer.write([Buffer.from(`${kept}\n`)]);
      } else {
        await writer.write(belowHeader(join(isSaid ? counted : lines, format), format));
      }
      const { keys: read } = format.tally;
      if (read === undefined) return;
      const omitted = read - kept;
      const [unsure, sure, wrong] =
        verb === 'pick' ? [kept, omitted, 'kept wrongly'] : [omitted, kept, 'left out wrongly'];
      const mistakes = errorRate === undefined ? undefined : mistakesAfter(sure, errorRate);
      inform(decidedText({ read, kept, noun: recordNoun(format), unsure, mistakes, wrong, isExact: isSure }));
    },
  });
}

export const pickCommand = lookUpCommand('pick', {
  summary: 'print the lines that may be in a filter, or that are in a list',
  description:
    'Prints the lines that may be in a filter: all that are, and a few others, as many as its error rate allows.\n' +
    'With --list, prints the lines that are in a text, and no others, as grep -Fxf does. The list takes some 20 bytes ' +
    'of memory for each distinct line.\n' +
    'Exits with 0 if any line was selected, 1 if none was, 2 on an error.',
  examples: [
    'bloomery pick taken.bloom wanted.txt',
    'zcat log.gz | bloomery pick blocked.bloom --field 2 | sort',
    'find . -type f -print0 | bloomery pick -z known.bloom',
    'bloomery pick --list names.txt wanted.txt',
  ],
});

export const omitCommand = lookUpCommand('omit', {
  summary: 'print the lines that are certainly not in a filter, or not in a list',
  description:
    'Prints the lines that are certainly not in a filter. A few lines that are not in it seem to be, and are not ' +
    'printed: as many as its error rate allows.\n' +
    'With --list, prints the lines that are not in a text, and loses none, as grep -vFxf does. The list takes some 20 ' +
    'bytes of memory for each distinct line.\n' +
    'Exits with 0 if any line was selected, 1 if none was, 2 on an error.',
  examples: [
    'bloomery omit blocked.bloom mails.txt > clean.txt',
    'bloomery omit blocked.bloom users.csv --csv --header --field 3 -o clean.csv',
    'bloomery omit --count seen.bloom today.txt.gz',
    'bloomery omit --list old.csv --csv --header --field email users.csv',
  ],
});
