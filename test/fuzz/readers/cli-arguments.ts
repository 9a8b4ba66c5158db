// The arguments of the command line: lists of words.

import type { Options, Specification } from '../../../cli/args/command.ts';
import { command } from '../../../cli/args/parse.ts';
import { addCommand } from '../../../cli/commands/add.ts';
import { buildCommand } from '../../../cli/commands/build.ts';
import { dedupeCommand } from '../../../cli/commands/dedupe.ts';
import { hasCommand } from '../../../cli/commands/has.ts';
import { infoCommand } from '../../../cli/commands/info.ts';
import { omitCommand, pickCommand } from '../../../cli/commands/look-up.ts';
import { mergeCommand } from '../../../cli/commands/merge.ts';
import { sizeCommand } from '../../../cli/commands/size.ts';
import { CommandError, oneLine } from '../../../cli/errors.ts';
import { formatNames, kindNames } from '../../../cli/filters/kinds.ts';
import { nearest } from '../../../cli/nearest.ts';
import { redisDeleteCommand } from '../../../cli/redis/delete.ts';
import { redisInfoCommand } from '../../../cli/redis/info.ts';
import { redisPullCommand } from '../../../cli/redis/pull.ts';
import { redisPushCommand } from '../../../cli/redis/push.ts';
import { attemptLater, pick, type Random, type Reader, require } from '../subject.ts';

export const isCommandError = (error: unknown): boolean => error instanceof CommandError && error.message.length > 10;

const DIGITS = [...'019_.eE+-kMgTiB% \nx٣'];
const NUMBERS = '1000000 1_000_000 1e6 1M 1.5GB 10MiB 0.01 1e-6 1% .5 5. 9e15 1e309'.split(' ');
const WORDS = ['', '0x10', 'Infinity', 'NaN', '-1', '9007199254740993', '1e-400', '100%', '4294967295', 'null'];

/** Changes, adds or removes a letter of a text. */
function damagedText(text: string, random: Random, letters: readonly string[]): string {
  const at = random(text.length + 1);
  const letter = random(3) > 0 ? pick(random, letters) : '';
  return text.slice(0, at) + letter + text.slice(at + random(2));
}

function numberText(random: Random): string {
  let text = pick(random, random(4) === 0 ? WORDS : NUMBERS);
  for (let times = random(4); times > 0; times--) text = damagedText(text, random, DIGITS);
  return text;
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

const isRate = (value: number): boolean => value > 0 && value < 1;

interface Parsed {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** The parsed arguments of the last command that was run. */
let parsed: Parsed | undefined;

const commands = [
  ...[addCommand, buildCommand, dedupeCommand, hasCommand, infoCommand, omitCommand, pickCommand, mergeCommand],
  ...[sizeCommand, redisDeleteCommand, redisInfoCommand, redisPullCommand, redisPushCommand],
].map((each) =>
  command({
    ...(each as object as Specification<Options>),
    async action(operands, values) {
      parsed = { operands, values };
    },
  }),
);

function argument(random: Random, names: readonly string[]): string {
  const name = pick(random, names);
  const value = (): string =>
    pick(random, [numberText(random), pick(random, [...kindNames, ...formatNames]), 'a.bloom', '-', ',', '\\t', '']);
  switch (random(9)) {
    case 0:
      return `--${name}`;
    case 1:
    case 2:
      return `--${name}=${value()}`;
    case 3:
      return `-${pick(random, [...'knpofdzcqu', ...'-=1\0'])}${random(2) === 0 ? value() : ''}`;
    case 4:
      return damagedText(`--${name}`, random, ['a', '-', '=', '__proto__', 'no-']);
    case 5:
      return pick(random, ['--', '__proto__', '--__proto__=1', '--constructor', '--toString']);
    default:
      return value();
  }
}

/** Whether a value of an option is one that the option can have. */
const isValueOf: Readonly<Record<string, (value: never) => boolean>> = {
  capacity: (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER),
  'error-rate': isRate,
  seed: (value) => isWhole(value, 0, 2 ** 32 - 1),
  threads: (value) => isWhole(value, 1, 64),
  kind: (value) => kindNames.includes(value),
  format: (value) => formatNames.includes(value),
  delimiter: (value) => value !== '',
};

const words: Reader = {
  name: 'words of the command line',
  share: 3000,
  async run(subject) {
    const { random } = subject;
    const wanted = pick(random, commands);
    const names = Object.keys(wanted.options);
    const given = Array.from({ length: random(7) }, () => argument(random, names));
    // Required options, mostly.
    if (names.includes('output') && random(4) > 0) given.unshift('-o', 'out.bloom');
    if (wanted.name === 'size' && random(4) > 0) given.unshift('-n', '1k');
    // Help would be printed.
    const args = given.filter((word) => !/^(-[^-]*h|--h)/.test(word));
    subject.input = JSON.stringify([wanted.name, args]);
    parsed = undefined;
    const isDone = await attemptLater(async () => {
      await wanted.run(args);
      return true;
    }, isCommandError);
    require((isDone === undefined) === (parsed === undefined), 'a command runs unless its arguments are refused');
    require(oneLine(args.join(' ')).split(/[\n\r\u2028]/).length === 1, 'an error takes one line');
    nearest(args[0] ?? '', names);
    const { operands, values } = (parsed ?? { operands: [], values: {} }) as Parsed;
    if (isDone === undefined) return 'refused';
    require(operands.every((operand) => args.includes(operand)), 'operands are among the arguments');
    const wrong = names.find(
      (name) => values[name] !== undefined && isValueOf[name]?.(values[name] as never) === false,
    );
    require(wrong === undefined, `--${wrong} has a value that it can have`);
    require(names.every((name) => Object.hasOwn(values, name)), 'each option has a value');
    return 'read';
  },
};

export const argumentReaders: readonly Reader[] = [words];
