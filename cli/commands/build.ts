import { readValuePlace } from '../args/fields.ts';
import {
  capacityOption,
  errorRateOption,
  filesOperand,
  filterOutputOption,
  kindOption,
  secretFileOption,
  seedOption,
  textOptions,
  threadsOption,
  valueFieldOption,
  writtenFormatOption,
} from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, nameOf } from '../errors.ts';
import { filterWriter, reportSaved } from '../filters/filter-file.ts';
import {
  type AnyFilter,
  canGrow,
  classOf,
  foreignClassOf,
  hasValues,
  isBuiltOnDisk,
  isExact,
  makeFilter,
  makesMaps,
} from '../filters/kinds.ts';
import { requireOther } from '../filters/output.ts';
import { underSecret } from '../filters/secret.ts';
import { formatOf, newTally, type TextFormat } from '../text/format.ts';
import { findInputs } from '../text/input.ts';
import { countRecords } from '../text/records.ts';
import { readSections } from '../text/sections.ts';
import { ONE_THREAD, threadsFor, threadsToBuild, threadsToFill } from '../threads/count.ts';
import { addLines, buildAndWrite, filterOf } from './fill.ts';
import { buildMap } from './map.ts';

/** Returns the number of lines as the capacity. Reads all inputs once to count them. */
async function capacityOf(names: readonly string[], format: TextFormat): Promise<number> {
  const inputs = await findInputs(names);
  if (inputs.transient !== undefined) {
    const name = nameOf(inputs.transient);
    throw new CommandError(`cannot count the lines of ${name} in advance: pass --capacity N`);
  }
  let count = 0;
  const counted = { ...format, tally: newTally() };
  for await (const { bytes } of readSections(inputs, counted)) count += countRecords(bytes, format);
  return Math.max(1, count);
}

const ERROR_RATE = 0.01;

/** The options that other systems do not have. */
const OWN_OPTIONS = ['kind', 'secret-file', 'threads'] as const;

/** @throws CommandError if an option is given that does not go with the format of another system */
function requireNoneBeside(format: string, given: Readonly<Record<string, unknown>>): void {
  const other = [...OWN_OPTIONS, ...(format === 'spark' ? [] : ['seed'])].find((name) => given[name] !== undefined);
  if (other !== undefined) throw new CommandError(`--${other} does not go with --format ${format}`);
}

/** @throws CommandError if a map has no values, or another kind has */
function requireValuesOf(kind: string, valueField: string | undefined): void {
  if (hasValues({ kind }) === (valueField !== undefined)) return;
  throw new CommandError(
    valueField === undefined
      ? `--kind ${kind} needs --value-field, which says where the value of each key is`
      : `--value-field does not go with --kind ${kind}, which has no values: --kind fuse-map has`,
  );
}

export const buildCommand = command({
  name: 'build',
  summary: 'make a filter from the lines of files',
  description:
    'Makes a filter in which each line of the files is a key, and saves it.\n' +
    'Without --capacity the files are read twice: once to count their lines. A fuse filter is the smallest, but takes ' +
    'no more keys later; while it is made, all lines are in memory. A sharded-fuse filter is as small, and can have ' +
    'billions of keys: their hashes, 8 bytes for each line, and the shards go to a temporary file in the folder that ' +
    'TMPDIR names, and building takes half a GB of memory for each thread that builds, at most two unless you say how ' +
    'many. A fingerprint-set is exact and grows: it needs no --capacity, and takes some 20 bytes of memory for each key. ' +
    'A fuse-map has a value for each key, a whole number that bloomery get prints; it is made as a sharded-fuse filter is, ' +
    'with 16 bytes for each record in the temporary file, and two thirds of a GB for each thread, 1 GB for 4 billion keys.',
  operands: [filesOperand],
  options: {
    output: filterOutputOption,
    capacity: capacityOption('how many distinct keys the filter is made for (default: the number of lines)'),
    'error-rate': {
      ...errorRateOption('the share of absent keys that may look present', ERROR_RATE),
      absent: undefined,
    },
    kind: kindOption,
    format: writtenFormatOption,
    seed: seedOption,
    'secret-file': secretFileOption,
    threads: threadsOption,
    ...textOptions,
    'value-field': valueFieldOption,
  },
  examples: [
    'bloomery build names.txt -o names.bloom',
    'bloomery build list-1.txt list-2.txt.gz -o blocked.bloom --error-rate 1e-4',
    'bloomery build names.txt -o names.bin --format guava',
    'bloomery build leaked-*.gz -o leaked.bloom --kind sharded-fuse -p 0.1%',
    'bloomery build lists.tsv -o lists.bloom --kind fuse-map -f 1 --value-field 2',
    'sort -u urls | bloomery build -o urls.bloom --capacity 50M --kind blocked',
  ],
  async action(names, given) {
    const {
      output,
      capacity,
      'error-rate': givenRate,
      kind = 'classic',
      format: system,
      seed,
      threads,
      'secret-file': secretFile,
      'value-field': valueField,
      ...values
    } = given;
    if (seed !== undefined && secretFile !== undefined) {
      throw new CommandError('--seed does not go with --secret-file, which takes its place');
    }
    if (system !== undefined) requireNoneBeside(system, given);
    const isSet = isExact({ kind });
    if (isSet && givenRate !== undefined) {
      throw new CommandError(`--error-rate does not go with --kind ${kind}, which is exact`);
    }
    const errorRate = givenRate ?? ERROR_RATE;
    if (errorRate === 1 && !hasValues({ kind })) {
      throw new CommandError('--error-rate must be less than 1: only --kind fuse-map takes 1, for values of 32 bits');
    }
    requireValuesOf(kind, valueField);
    const value =
      valueField === undefined
        ? undefined
        : readValuePlace(valueField, '--value-field', values['json-field'] !== undefined);
    const format = formatOf({ ...values, value });
    const inputs = await findInputs(names);
    await requireOther(output, inputs.names);
    const under = await underSecret(secretFile, output);
    const writeFilter = await filterWriter(output);
    const Class = under(classOf(kind));
    let filter: AnyFilter;
    if (system !== undefined) {
      const keys = capacity ?? (await capacityOf(names, format));
      const foreign = makeFilter(foreignClassOf(system), { capacity: keys, errorRate, seed });
      filter = await addLines(foreign, inputs, format, output);
    } else if (canGrow(Class)) {
      // A set grows.
      const keys = capacity ?? (isSet ? 0 : await capacityOf(names, format));
      const growing = makeFilter(Class, { capacity: keys, errorRate, seed });
      // Other threads do not know the secret.
      const several = secretFile === undefined ? threadsToFill(kind, threads, inputs) : undefined;
      filter = await addLines(growing, inputs, format, output, several);
    } else if (capacity !== undefined) {
      throw new CommandError(`--capacity does not go with --kind ${kind}: such a filter is made for just its keys`);
    } else if (isBuiltOnDisk(Class) || makesMaps(Class)) {
      const several = threadsFor(threads, inputs);
      const building = threadsToBuild(threads, several);
      // Other threads do not know the secret, which those that build shards need not.
      const hashing = secretFile === undefined ? several : ONE_THREAD;
      const wanted = { errorRate, seed };
      const saved = makesMaps(Class)
        ? await buildMap(Class, inputs, format, output, wanted, writeFilter, building)
        : await buildAndWrite(Class, inputs, format, output, wanted, writeFilter, { hashing, building });
      reportSaved(saved, output);
      return;
    } else {
      filter = await filterOf(Class, inputs, format, output, { errorRate, seed });
    }
    await writeFilter(filter);
    reportSaved(filter, output, false);
  },
});
