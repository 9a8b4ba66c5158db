import { CommandError, quote, REPLACEMENT } from '../errors.ts';
import { formatNames, hasLabels, kindNames, readableFormatNames } from '../filters/kinds.ts';
import { readChoice } from '../nearest.ts';
import { LARGEST_VALUE, readCount, readInteger, readShare } from '../numbers.ts';
import type { Field, Path } from '../text/format.ts';
import { formatOfName } from '../text/unzip.ts';
import { MOST_THREADS } from '../threads/count.ts';
import { flag, type Operand, type Option, type Options } from './command.ts';
import { readFields, readPaths } from './fields.ts';

const MAX_SEED = 2 ** 32 - 1;

export const filterOperand: Operand = {
  name: 'filter',
  description: 'a filter file, made by bloomery build; - is stdin',
};

export const filesOperand: Operand = {
  name: 'files',
  description: 'text files, compressed or not; stdin if none is given, or for -',
  optional: true,
  repeated: true,
};

const asGiven = (text: string): string => text;

/** @throws CommandError for a character that Node also gives in place of bytes that are not UTF-8 */
function requireUtf8(text: string, name: string): string {
  if (!text.includes(REPLACEMENT)) return text;
  throw new CommandError(`${name} may not be valid UTF-8, got ${quote(text)}`);
}

export function capacityOption(description: string): Option<number | undefined> {
  return { short: 'n', argument: 'keys', description, absent: undefined, read: readCount };
}

export function requiredCapacityOption(description: string): Option<number> {
  return { short: 'n', argument: 'keys', description, required: true, read: readCount };
}

/** An error rate of up to 1, which only maps can have. */
export function errorRateOption(description: string, absent: number): Option<number> {
  return { short: 'p', argument: 'rate', description: `${description} (default: ${absent})`, absent, read: readShare };
}

export const kindOption: Option<string | undefined> = {
  short: 'k',
  argument: 'kind',
  description: `the kind of filter: ${kindNames.join(', ')} (default: classic); bloomery size compares them`,
  choices: kindNames,
  absent: undefined,
  read(text, name) {
    if (hasLabels(text)) {
      throw new CommandError(
        `${name} cannot be ${text}: the keys of such a filter have labels, so a program must make it`,
      );
    }
    return readChoice(kindNames, text, name);
  },
};

function formatOption(names: readonly string[], description: string): Option<string | undefined> {
  return {
    argument: 'format',
    description: `${description}: ${names.join(', ')}`,
    choices: names,
    absent: undefined,
    read: (text, name) => readChoice(names, text, name),
  };
}

export const writtenFormatOption: Option<string | undefined> = formatOption(
  formatNames,
  'write the filter in the format of another system',
);

export const readFormatOption: Option<string | undefined> = formatOption(
  readableFormatNames,
  "the filter is in another system's format; all but redisbloom are recognized without this option",
);

export const seedOption: Option<number | undefined> = {
  argument: 'seed',
  description: 'the seed of the hash, 0 to 4294967295 (default: 0)',
  absent: undefined,
  read: (text, name) => readInteger(text, name, 0, MAX_SEED),
};

export const secretFileOption: Option<string | undefined> = {
  argument: 'file',
  description: 'hash keys under the secret in this file: 16 bytes, or 32 digits of openssl rand -hex 16',
  absent: undefined,
  read(text, name) {
    if (text !== '-') return text;
    throw new CommandError(`${name} must be a file, not stdin`);
  },
};

export const threadsOption: Option<number | undefined> = {
  argument: 'n',
  description: `how many threads work, 1 to ${MOST_THREADS} (default: one for each processor, or fewer for a short text)`,
  absent: undefined,
  read: (text, name) => readInteger(text, name, 1, MOST_THREADS),
};

export const allowNoneOption: Option<boolean> = flag(
  'exit with 0 also if no line is selected, for scripts under set -e',
);

export const listOption: Option<readonly string[]> = {
  argument: 'file',
  description:
    'look the keys up in this text, in place of a filter: it is read as the other files are, with all options that say ' +
    'where the keys are; may be given several times; - is stdin',
  repeated: true,
  absent: [],
  read: (text, _name, before = []) => [...before, text],
};

/** The options that decide whether a filter is loaded. */
export const loadOptions = {
  load: flag('load the whole filter and check it, however few the keys are'),
  'no-load': flag('read only what each key needs of the filter, and do not check it, however many the keys are'),
} satisfies Options;

export const jsonOption: Option<boolean> = flag('print JSON');

export const filterOutputOption: Option<string> = {
  short: 'o',
  argument: 'file',
  description: 'where to save the filter: gzipped if the name ends in .gz; - is stdout',
  required: true,
  read: asGiven,
};

export const textOutputOption: Option<string> = {
  short: 'o',
  argument: 'file',
  description: 'where to write the lines (default: stdout)',
  absent: '-',
  read(text, name) {
    if (formatOfName(text) === undefined) return text;
    throw new CommandError(`${name} does not compress lines, got ${quote(text)}: omit it, and write | gzip > FILE`);
  },
};

const fieldOption: Option<readonly Field[] | undefined> = {
  short: 'f',
  argument: 'fields',
  description:
    'the key is not the whole line, but its nth field, counted from 1, or the one that has this name in the header; ' +
    'or several: 2,5 or 2-4 or 2- or name,city',
  absent: undefined,
  read: (text, name) => readFields(requireUtf8(text, name), name),
};

const jsonFieldOption: Option<readonly Path[] | undefined> = {
  argument: 'name',
  description:
    'each line is a JSON object, and the key its member of this name, as jq -r prints it: 17 and "17" are one key; ' +
    'user.id is a member of a member; or several: a,b',
  absent: undefined,
  read: (text, name) => readPaths(requireUtf8(text, name), name),
};

export const valueFieldOption: Option<string | undefined> = {
  argument: 'field',
  description:
    'the value of the key is this field, written as for --field, or with --json-field this member: a whole number from 0 ' +
    'to 4294967295; for --kind fuse-map. Records without such a value are invalid',
  absent: undefined,
  read: requireUtf8,
};

/** The largest value of a fuse-map if none is given. */
export const USUAL_VALUE = 255;

export const maxValueOption: Option<number | undefined> = {
  argument: 'value',
  description: `the largest value of a fuse-map, 0 to ${LARGEST_VALUE}: it decides the bits of all (default: ${USUAL_VALUE})`,
  absent: undefined,
  read: (text, name) => readInteger(text, name, 0, LARGEST_VALUE),
};

const delimiterOption: Option<string | undefined> = {
  short: 'd',
  argument: 'text',
  description: 'what separates fields (default: a tab, or a comma with --csv)',
  absent: undefined,
  read(text, name) {
    if (text !== '') return requireUtf8(text, name).replaceAll('\\t', '\t');
    throw new CommandError(`${name} must not be empty`);
  },
};

/** The options that say where the keys are in a text. */
export const textOptions = {
  field: fieldOption,
  delimiter: delimiterOption,
  csv: flag('fields may be in quotes, with delimiters and newlines in them'),
  'json-field': jsonFieldOption,
  header: flag(
    'the first line of each file is not a key, but has the names of fields; where lines are printed, that of the first ' +
      'file comes first',
  ),
  'ignore-case': flag('upper and lower case make no difference: the key is in lower case', 'i'),
  trim: flag('white space around the key, or around each of its fields, makes no difference'),
  null: flag('lines end with NUL, as find -print0 writes them, not with a newline', 'z'),
  'skip-invalid': flag('leave out records that are not CSV or JSON, and count them on stderr, rather than stop there'),
  'no-crlf': flag('a carriage return before a newline is part of the line'),
} satisfies Options;
