import { type KeyColumn, KeyLines } from 'bloomery';
import { FuseMap } from 'bloomery/fuse-map';
import { flag } from '../args/command.ts';
import { loadOptions, secretFileOption, textOptions } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError, inform, nameOf } from '../errors.ts';
import { loadFilter } from '../filters/filter-file.ts';
import { hasValues, isMap, type ReadableClass } from '../filters/kinds.ts';
import { decidedText, mistakesAfter } from '../filters/mistakes.ts';
import { openIfLarge, rateOf } from '../filters/opened.ts';
import { write } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import { recordKeys } from '../text/fields.ts';
import { recordNoun, requireValid, type TextFormat } from '../text/format.ts';
import { type Inputs, STDIN } from '../text/input.ts';
import { KeyWriter } from '../text/key-writer.ts';
import { keysOf, type TextKeys } from '../text/records.ts';
import { readSections } from '../text/sections.ts';
import { warnOfRecords } from '../text/warnings.ts';
import { keysFrom } from './keys.ts';

/** The exit code if no key has a value, as of grep if no line is selected. */
const NOTHING_FOUND = 1;
const TAB = 9;
/** A value of so many bits may be the number that stands for none. */
const MOST_BITS = 32;

/** What gives values and flags. */
interface Valued {
  getMany(keys: TextKeys | readonly string[]): Uint32Array | Promise<Uint32Array>;
  hasMany(keys: TextKeys | readonly string[]): Uint8Array | Promise<Uint8Array>;
  close?(): Promise<void>;
}

/** Gives the values of keys; undefined for one that has none. */
type Get = (keys: TextKeys | readonly string[]) => Promise<readonly (number | undefined)[]>;

/** A map that was loaded or opened. */
interface ReadMap {
  readonly get: Get;
  readonly errorRate: number | undefined;
  close(): Promise<void>;
}

function getter(map: Valued, cellBits: number): Get {
  return async (keys) => {
    const values = await map.getMany(keys);
    const flags = cellBits < MOST_BITS ? undefined : await map.hasMany(keys);
    return Array.from(values, (value, i) => (value !== FuseMap.ABSENT || flags?.[i] === 1 ? value : undefined));
  };
}

/**
 * Opens a map, or loads it.
 *
 * @throws CommandError if the file has another filter, or cannot be read
 */
async function mapIn(
  name: string,
  classes: readonly ReadableClass[],
  wish: { readonly load: boolean; readonly 'no-load': boolean },
  keyBytes: number | undefined,
): Promise<ReadMap> {
  const opened = await openIfLarge(name, classes, { ...wish, format: undefined }, keyBytes);
  if (opened) {
    const { kind, cellBits } = opened.parameters;
    const errorRate = rateOf(opened);
    if (hasValues(opened.parameters)) return { get: getter(opened, cellBits), errorRate, close: () => opened.close() };
    throw notMap(name, kind);
  }
  const { filter } = await loadFilter(name, classes);
  const { errorRate } = filter;
  if (isMap(filter)) return { get: getter(filter, filter.cellBits), errorRate, close: async () => {} };
  throw notMap(name, filter.kind);
}

function notMap(name: string, kind: string): CommandError {
  return new CommandError(`${nameOf(name)} is a ${kind} filter, which has no values: bloomery has looks up its keys`);
}

/** Makes a line of each key that has a value, and the value. Returns them and their number. */
async function linesOf(get: Get, keys: KeyColumn, { separator }: TextFormat): Promise<[Uint8Array, number]> {
  const { data, offsets } = keys;
  let count = 0;
  const lines = new KeyWriter(data.length);
  for (const [i, value] of (await get(keys)).entries()) {
    if (value === undefined) continue;
    count++;
    const digits = Buffer.from(String(value));
    lines.copy(data, Number(offsets[i]), Number(offsets[i + 1]));
    lines.put(TAB);
    lines.copy(digits, 0, digits.length);
    lines.put(separator);
  }
  lines.end();
  return [lines.toColumn().data, count];
}

/** Prints the keys in a text that have values, and says how many may be wrong unless `quiet`. Returns whether any has. */
async function printValues(
  { get, errorRate }: ReadMap,
  inputs: Inputs,
  format: TextFormat,
  quiet: boolean,
): Promise<boolean> {
  let [read, kept] = [0, 0];
  for await (const { bytes, format: own } of readSections(inputs, format)) {
    const keys = keysOf(bytes, own);
    const all = keys instanceof KeyLines ? recordKeys(bytes, own) : keys;
    const [lines, count] = await linesOf(get, all, own);
    read += all.length;
    kept += count;
    await write(lines);
    requireValid(format);
  }
  warnOfRecords(format);
  if (!quiet) {
    const mistakes = errorRate === undefined ? undefined : mistakesAfter(read - kept, errorRate);
    const decided = { read, kept, noun: recordNoun(format), unsure: kept, mistakes, wrong: 'kept wrongly' };
    inform(decidedText({ ...decided, isExact: false }));
  }
  return kept > 0;
}

export const getCommand = command({
  name: 'get',
  summary: 'print the values of keys in a map',
  description:
    'Prints each key that has a value in the map, then a tab and the value. The key - stands for the lines of stdin, each ' +
    'of which is or has a key; they come after the others. Without keys, stdin is read.\n' +
    'A key of the map has its own value. Of other keys, a few have a wrong value: as many as the error rate allows.\n' +
    'At the end, it says on stderr how many lines were read and had a value, and how many of these are expected to be wrong.\n' +
    'Exits with 0 if any key has a value, 1 if none has, 2 on an error.',
  operands: [
    { name: 'map', description: 'a map, made by bloomery build --kind fuse-map; - is stdin' },
    {
      name: 'keys',
      description: 'the keys to look up; stdin if none is given, or for -',
      optional: true,
      repeated: true,
    },
  ],
  options: {
    quiet: flag('do not say at the end how many lines were read and had a value, and how many may be wrong', 'q'),
    ...loadOptions,
    'secret-file': secretFileOption,
    ...textOptions,
  },
  examples: [
    'bloomery get lists.bloom ads.example',
    'cut -f2 log.tsv | bloomery get lists.bloom',
    'bloomery get users.bloom --csv --header --field email < users.csv',
  ],
  async action([name = '', ...given], { quiet, 'secret-file': secretFile, ...values }) {
    const { format, keys, inputs, bytes } = await keysFrom(name, given.length > 0 ? given : [STDIN], values);
    const map = await mapIn(name, await readableUnder(secretFile), values, bytes);
    const { get } = map;
    try {
      const end = String.fromCharCode(format.separator);
      const found = (await get(keys)).flatMap((value, i) =>
        value === undefined ? [] : [`${keys[i]}\t${value}${end}`],
      );
      await write(found.join(''));
      const isAny = inputs !== undefined && (await printValues(map, inputs, format, quiet));
      if (found.length === 0 && !isAny) process.exitCode ??= NOTHING_FOUND;
    } finally {
      await map.close();
    }
  },
});
