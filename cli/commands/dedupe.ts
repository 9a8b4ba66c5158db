import { existsSync } from 'node:fs';
import { flag, type Option } from '../args/command.ts';
import {
  allowNoneOption,
  capacityOption,
  filesOperand,
  textOptions,
  textOutputOption,
  threadsOption,
} from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, inform, quote, say } from '../errors.ts';
import { ExactSeen } from '../filters/exact.ts';
import { filterWriter, loadGrowing } from '../filters/filter-file.ts';
import { type GrowingFilter, isExact, isForeign, isSet, makeSet, traitsOf } from '../filters/kinds.ts';
import { decidedText, isDecisionSaid } from '../filters/mistakes.ts';
import { beforeClosed, requireOther, type Writer, writerTo } from '../filters/output.ts';
import { Counted, Repeated, withCounts } from '../filters/repeated.ts';
import {
  ERROR_RATE,
  emptyLast,
  emptySeen,
  endlessSeen,
  growingSeen,
  type Selecting,
  savedSeen,
  untilFull,
} from '../filters/seen.ts';
import { Interruption } from '../filters/signals.ts';
import { byteSize, integer, leastRate, plural, readBytes, readCount, readRate } from '../numbers.ts';
import { formatOf, recordNoun, type TextFormat } from '../text/format.ts';
import { findReadableInputs } from '../text/input.ts';
import { type Part, readParts } from '../text/parts.ts';
import { withProgress } from '../text/progress.ts';
import { belowHeader, join, readSections } from '../text/sections.ts';
import { selectLines, untilEnd } from '../text/select.ts';
import { threadsFor } from '../threads/count.ts';

/** One in so many distinct lines is expected to come more than once. More do no harm. */
const REPEATED_SHARE = 16;
/** Filters that forget have no lower rates than 4 · 10^-5. */
const LAST_ERROR_RATE = 1e-4;
const CAPACITY = 1_000_000;
/** A filter that is opened later has a much lower rate, which must still be possible. */
const LEAST_ERROR_RATE = 1e-50;

const errorRateOption: Option<number | undefined> = {
  short: 'p',
  argument: 'rate',
  description:
    'keep the lines in filters, which are smaller than a set and lose up to this share of the new lines (default: keep ' +
    `them in a set, which loses none; ${LAST_ERROR_RATE} with --last, ${ERROR_RATE} for a filter that --seen names)`,
  absent: undefined,
  read: readRate,
};

const lastOption: Option<number | undefined> = {
  argument: 'lines',
  description: 'remember only that many of the last lines, and forget older ones: memory is constant',
  absent: undefined,
  read: readCount,
};

const maxMemoryOption: Option<number> = {
  argument: 'size',
  description: 'the most memory for the lines seen, such as 500M: when it is full, dedupe fails (default: no limit)',
  absent: Number.POSITIVE_INFINITY,
  read: readBytes,
};

const seenOption: Option<string | undefined> = {
  argument: 'file',
  description:
    'start from the set or filter in this file, and save it with the new lines; if missing, a set is made, or with ' +
    '--error-rate a filter for --capacity lines',
  absent: undefined,
  read(text, name) {
    if (text !== '-') return text;
    throw new CommandError(`${name} must be a file, because it is read and written`);
  },
};

/** What `--seen` names: a set or a filter that takes lines, and what saves it. */
interface SavedLines {
  readonly seen: Selecting;
  save(): Promise<void>;
}

/** How many lines to remember: all, with how many to expect, or the last ones. And how. */
interface Memory {
  readonly capacity: number | undefined;
  readonly last: number | undefined;
  /** The error rate that the user allows; undefined if lines go into a set where there is nothing yet. */
  readonly givenRate: number | undefined;
  readonly maxMemory: number;
}

function rateOf({ givenRate, last }: Memory): number {
  return givenRate ?? (last === undefined ? ERROR_RATE : LAST_ERROR_RATE);
}

/** Whether a set keeps the lines. */
function keepsAll({ givenRate, last }: Memory): boolean {
  return givenRate === undefined && last === undefined;
}

/** @throws CommandError if it cannot be made */
function newFilter(name: string, memory: Memory): GrowingFilter {
  const { capacity, last } = memory;
  if (keepsAll(memory)) return makeSet(capacity ?? 0);
  const wanted = capacity ?? last;
  if (wanted === undefined) throw new CommandError(`${quote(name)} does not exist: give --capacity to make a filter`);
  return last === undefined ? emptySeen(wanted, rateOf(memory)) : emptyLast(last, rateOf(memory));
}

/** @throws CommandError if the filter cannot be read, written or made, errs more often than allowed, or forgets */
async function openSeen(name: string, memory: Memory): Promise<SavedLines> {
  const { last, maxMemory } = memory;
  const { filter, isZipped } = existsSync(name)
    ? await loadGrowing(name)
    : { filter: newFilter(name, memory), isZipped: false };
  if (isForeign(filter)) {
    throw new CommandError(
      `${quote(name)} is a filter in the format ${filter.kind}: --seen takes sets and filters of bloomery`,
    );
  }
  if (Number.isFinite(maxMemory) && !isExact(filter)) {
    throw new CommandError(`--max-memory bounds a set: ${quote(name)} is a ${filter.kind} filter, which does not grow`);
  }
  if (filter.errorRate > rateOf(memory)) {
    const made = leastRate(filter.errorRate);
    throw new CommandError(
      `${quote(name)} was made for an error rate of ${made}: --error-rate ${made} allows that many lines to be lost`,
    );
  }
  const { forgets, forgetsAny } = traitsOf(filter);
  if (last !== undefined && !(forgets && !forgetsAny && filter.capacity >= last)) {
    const remembers = forgetsAny ? 'may forget any line' : `remembers the last ${plural(filter.capacity, 'line')}`;
    const made = forgets ? remembers : 'does not forget';
    throw new CommandError(`${quote(name)} ${made}: --last ${last} needs another filter`);
  }
  const writeFilter = await filterWriter(name, isZipped);
  // The filter has lines that were not written, and cannot do without them: if it were saved, they would be lost.
  beforeClosed(() =>
    say(`stdout was closed before all lines were written: ${quote(name)} was not saved, so they will be printed again`),
  );
  const seen = isSet(filter) ? new ExactSeen(filter, { maxMemory, name }) : savedSeen(filter, name);
  return { seen, save: () => writeFilter(filter) };
}

function newSeen(memory: Memory): Selecting {
  const { capacity, last, maxMemory } = memory;
  if (keepsAll(memory)) return new ExactSeen(makeSet(capacity ?? 0), { maxMemory, name: undefined });
  if (last === undefined) return growingSeen(capacity ?? CAPACITY, rateOf(memory), maxMemory);
  return endlessSeen(emptyLast(last, rateOf(memory)));
}

/** Why a text that ends with a signal must not be written: where all is written or nothing, nothing is. */
function refusalOf({ isAtomic }: Writer): CommandError | undefined {
  return isAtomic ? new CommandError('ended by a signal') : undefined;
}

function report(selecting: Selecting, format: TextFormat, repeated: boolean): void {
  const { keys: read = 0 } = format.tally;
  const { filters, count: kept, isExact: isSure } = selecting;
  const bytes = byteSize(filters.reduce((sum, { byteLength }) => sum + byteLength, 0));
  const decided = decidedText({
    read,
    kept,
    noun: recordNoun(format),
    unsure: repeated ? read : read - kept,
    mistakes: selecting.expectedMistakes(),
    wrong: repeated ? 'wrong' : 'lost',
    isExact: isSure,
  });
  inform(`${decided}; ${isSure ? bytes : `${plural(filters.length, 'filter')}, ${bytes}`}`);
}

/** What decides which lines are printed. */
interface Choice {
  readonly repeated: boolean;
  readonly count: boolean;
}

/** @throws CommandError if an option does not go with `--repeated` or `--count` */
function requireRepeatedOptions({ repeated, count, ...given }: Choice & Readonly<Record<string, unknown>>): void {
  if (count && !repeated) {
    throw new CommandError(
      '--count needs --repeated, because lines that come once are known only when the text has ended, and are not kept',
    );
  }
  if (!repeated) return;
  const reasons = {
    seen: 'a file keeps which lines have come, not which came twice',
    last: 'a line that is forgotten would be printed again',
    'max-memory': 'it bounds only what keeps lines that are new',
  };
  for (const [name, reason] of Object.entries(reasons)) {
    if (given[name] !== undefined && given[name] !== Number.POSITIVE_INFINITY) {
      throw new CommandError(`--repeated does not go with --${name}: ${reason}`);
    }
  }
}

/** What selects the lines to be printed. All lines go through `seen`. */
function selectingBy({ repeated, count }: Choice, seen: Selecting, memory: Memory): Selecting {
  if (count) return new Counted(seen);
  if (!repeated) return seen;
  const capacity = keepsAll(memory) ? undefined : Math.ceil((memory.capacity ?? CAPACITY) / REPEATED_SHARE);
  return new Repeated(seen, newSeen({ ...memory, capacity }));
}

export const dedupeCommand = command({
  name: 'dedupe',
  summary: 'print each line once, where it first occurs',
  description:
    'Prints each line once, where it first occurs, and loses none. Memory grows with the number of distinct lines: some ' +
    '20 bytes each, however long they are.\nWith --error-rate, filters keep the lines in 5 to 17 bytes each at a rate of ' +
    'one in a million: a new line that looks like a repeated one is lost.\nWith --repeated, prints each line that comes more than once, where it comes the second time.\n' +
    'Exits with 0 if any line was printed, 1 if none was, 2 on an error.',
  operands: [filesOperand],
  options: {
    capacity: capacityOption(
      `how many distinct lines to expect; more do no harm (default with --error-rate: ${integer(CAPACITY)})`,
    ),
    'error-rate': errorRateOption,
    last: lastOption,
    'max-memory': maxMemoryOption,
    seen: seenOption,
    repeated: flag('print each line that comes more than once, and no others, as uniq -d does with sorted lines'),
    count: flag('with --repeated: at the end, print how often each of these lines came, as uniq -dc does', 'c'),
    quiet: flag('do not say at the end how many lines were read and kept, and how many are expected to be wrong', 'q'),
    'allow-none': allowNoneOption,
    output: textOutputOption,
    threads: threadsOption,
    ...textOptions,
  },
  examples: [
    'bloomery dedupe urls.txt > unique.txt',
    'cat logs/*.txt | bloomery dedupe --error-rate 1e-9 --max-memory 2G',
    'bloomery dedupe --seen seen.bloom today.txt > new.txt',
    'tail -f app.log | bloomery dedupe --last 1M',
    'bloomery dedupe --repeated --count access.log | sort -rn | head',
  ],
  async action(names, given) {
    const { capacity, last, 'max-memory': maxMemory, seen: name, quiet, output, threads: wanted, ...values } = given;
    requireRepeatedOptions(given);
    const format = formatOf(values);
    const memory: Memory = { capacity, last, givenRate: values['error-rate'], maxMemory };
    if (rateOf(memory) < LEAST_ERROR_RATE) throw new CommandError(`--error-rate must be at least ${LEAST_ERROR_RATE}`);
    if (last !== undefined && (capacity !== undefined || Number.isFinite(maxMemory))) {
      const other = capacity === undefined ? '--max-memory' : '--capacity';
      throw new CommandError(`${other} does not go with --last, which bounds both the lines and the memory`);
    }
    const inputs = await findReadableInputs(names, []);
    await requireOther(output, name === undefined ? inputs.names : [name, ...inputs.names]);
    if (name !== undefined) await requireOther(name, inputs.names);
    const writer = await writerTo(output);
    const saved = name === undefined ? undefined : await openSeen(name, memory);
    const selecting = selectingBy(given, saved?.seen ?? newSeen(memory), memory);
    const isSaid = !quiet && isDecisionSaid(selecting.isExact);
    if (isSaid) {
      format.tally.keys = 0;
      selecting.watch();
    }
    const interruption = saved && new Interruption();
    const watch = <P extends Part>(text: AsyncGenerator<P>): AsyncGenerator<P> =>
      withProgress(interruption?.until(text, refusalOf(writer)) ?? text, inputs, format, output === '-');
    const threads = threadsFor(wanted, inputs);
    // One thread does not need the code for several.
    const several = threads.count > 1 ? await import('../threads/dedupe.ts') : undefined;
    const selected = several
      ? several.dedupeInThreads(watch(readParts(inputs, format, threads.after)), format, threads, selecting)
      : selectLines(untilFull(watch(readSections(inputs, format)), selecting), (keys) => selecting.select(keys));
    const work = async (): Promise<void> => {
      const lines = untilEnd(selected, format, values['allow-none']);
      const printed = selecting instanceof Counted ? withCounts(lines, format, selecting) : join(lines, format);
      await writer.write(belowHeader(printed, format));
      // After the lines: if they were not written, they must not count as seen.
      await saved?.save();
      if (selecting.full) throw selecting.full;
      if (isSaid) report(selecting, format, given.repeated);
    };
    await (interruption?.endAfter(work()) ?? work());
  },
});
