import { addLines, lines } from 'bloomery';
import { Command, Option } from 'commander';
import { CommandError, quote } from './errors.ts';
import { byteSize, integer, rate } from './figures.ts';
import { filterWriter, warnIfOverfull } from './filter-file.ts';
import { findInputs, type Inputs, readInputs } from './input.ts';
import { type AnyFilter, classOf, kindNames } from './kinds.ts';
import { capacityOption, crlfOption, errorRateOption, examples, outputOption } from './options.ts';
import { showProgress } from './progress.ts';

const NEWLINE = 10;

interface Options {
  readonly output: string;
  readonly capacity?: number;
  readonly errorRate: number;
  readonly kind: string;
  readonly crlf: boolean;
}

async function countLines(inputs: Inputs): Promise<number> {
  let count = 0;
  let last = NEWLINE;
  for await (const chunk of readInputs(inputs)) {
    last = chunk[chunk.length - 1] ?? NEWLINE;
    // A line that continues in the next chunk is counted there.
    count += lines(chunk).count() - (last === NEWLINE ? 0 : 1);
  }
  return count + (last === NEWLINE ? 0 : 1);
}

/** Returns the number of lines as the capacity. Reads all inputs once to count them. */
async function capacityOf(names: readonly string[]): Promise<number> {
  const inputs = await findInputs(names);
  if (inputs.transient !== undefined) {
    throw new CommandError(`${quote(inputs.transient)} can be read only once, so --capacity must be given`);
  }
  return Math.max(1, await countLines(inputs));
}

async function fill(filter: AnyFilter, inputs: Inputs, crlf: boolean, writesToStdout: boolean): Promise<void> {
  const progress = await showProgress(inputs, writesToStdout);
  try {
    await addLines(filter, readInputs(inputs), progress ? { crlf, onProgress: progress.onProgress } : { crlf });
  } finally {
    progress?.stop();
  }
}

function report(filter: AnyFilter, output: string): void {
  if (!process.stderr.isTTY) return;
  const keys = `about ${integer(filter.estimateCount())} keys`;
  const made = `${filter.kind} filter, ${byteSize(filter.byteLength)}, error rate ${rate(filter.estimateErrorRate())}`;
  process.stderr.write(`${output === '-' ? 'stdout' : output}: ${made}, ${keys}\n`);
}

export function buildCommand(): Command {
  return new Command('build')
    .summary('make a filter of the lines of files')
    .description(
      'Makes a filter in which each line of the files is a key, and saves it.\n' +
        'Without --capacity the files are read twice: once to count their lines.',
    )
    .argument('[files...]', 'text files, gzipped or not; stdin if none is given, or for -')
    .addOption(outputOption())
    .addOption(capacityOption('how many distinct lines the filter is made for (default: as many as there are)'))
    .addOption(errorRateOption('the share of absent keys that may look present', 0.01))
    .addOption(
      new Option('-k, --kind <kind>', 'the kind of filter: see bloomery size').choices(kindNames).default('classic'),
    )
    .addOption(crlfOption())
    .addHelpText(
      'after',
      examples(
        'bloomery build names.txt -o names.bloom',
        'bloomery build list-1.txt list-2.txt.gz -o blocked.bloom --error-rate 1e-4',
        'sort -u urls | bloomery build -o urls.bloom --capacity 50e6 --kind blocked',
      ),
    )
    .action(async (names: string[], { output, capacity, errorRate, kind, crlf }: Options) => {
      const writeFilter = await filterWriter(output);
      const inputs = await findInputs(names);
      const filter = new (classOf(kind))({ capacity: capacity ?? (await capacityOf(names)), errorRate });
      await fill(filter, inputs, crlf, output === '-');
      await writeFilter(filter);
      warnIfOverfull(filter);
      report(filter, output);
    });
}
