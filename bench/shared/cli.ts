// The command line of every benchmark: options, usage, progress and the exit code.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** An option of the command line, or an argument without a name. */
export interface Option<T> {
  /** What the option does; lines after the first are indented. */
  readonly about: string;
  /** An example of a value; undefined for a flag. */
  readonly example?: string;
  /** Present for an argument without a name: the usage shows it without dashes. */
  readonly argument?: true;
  /** @param text undefined if it is not given, and the empty string for a flag */
  read(text: string | undefined, name: string): T;
}

type Options = Readonly<Record<string, Option<unknown>>>;

/** The values that were read, by the names of the options. */
export type Values<O extends Options> = { readonly [name in keyof O]: O[name] extends Option<infer T> ? T : never };

export function flag(about: string): Option<boolean> {
  return { about, read: (text) => text !== undefined };
}

/** An option with a value that `parse` reads; `usual` is its default. */
function value<T>(about: string, usual: string, parse: (text: string, name: string) => T): Option<T> {
  return { about: `${about} (default: ${usual})`, example: usual, read: (text = usual, name) => parse(text, name) };
}

/** An option with values separated by commas. */
export function list<T>(about: string, usual: string, parse: (text: string, name: string) => T): Option<readonly T[]> {
  return value(about, usual, (text, name) => text.split(',').map((each) => parse(each, name)));
}

function countUpTo(most: number): (text: string, name: string) => number {
  return (text, name) => {
    const count = text === '' ? Number.NaN : Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= most) return count;
    throw new RangeError(`--${name} must be a whole number from 1 to ${most}, got '${text}'`);
  };
}

/** An option with a whole number from 1 to `most`. */
export function count(about: string, most: number, usual: string): Option<number> {
  return value(about, usual, countUpTo(most));
}

/** An optional whole number from 1 to `most`. */
export function optionalCount(about: string, most: number): Option<number | undefined> {
  return { about, example: 'N', read: (text, name) => (text === undefined ? text : countUpTo(most)(text, name)) };
}

/** An option with whole numbers from 1 to `most`, separated by commas. */
export function counts(about: string, most: number, usual: string): Option<readonly number[]> {
  return list(about, usual, countUpTo(most));
}

export function rounds(usual: number): Option<number> {
  return count('how many rounds to take the median of', 1000, String(usual));
}

/** An option with some of the names in `all`, separated by commas. */
export function choice(about: string, all: readonly string[]): Option<readonly string[]> {
  const known = (text: string, name: string): string => {
    if (all.includes(text)) return text;
    throw new RangeError(`--${name} takes ${all.join(', ')}, got '${text}'`);
  };
  const { read } = list(about, all.join(), known);
  return { about: `${about} (default: all)`, example: all.slice(0, 2).join(), read };
}

/** The absolute path of another checkout, as an argument. */
export function checkout(about: string): Option<string> {
  return {
    about,
    argument: true,
    read(folder, name) {
      if (folder === undefined) throw new RangeError(`${name} is missing`);
      if (existsSync(join(folder, 'dist/index.js'))) return resolve(folder);
      throw new RangeError(`there is no dist/index.js in '${folder}': run npm ci and npm run build there`);
    },
  };
}

/**
 * The values of the options; undefined if the usage is asked for.
 *
 * @throws Error if an option is unknown or invalid
 */
function readValues<O extends Options>(options: O, args: string[]): Values<O> | undefined {
  const names = Object.entries(options).filter(([, { argument }]) => !argument);
  const types = names.map(([name, { example }]) => [name, { type: example === undefined ? 'boolean' : 'string' }]);
  const help = { type: 'boolean', short: 'h' } as const;
  const parsed = parseArgs({ args, allowPositionals: true, options: { ...Object.fromEntries(types), help } });
  const given = parsed.values as Readonly<Record<string, string | true | undefined>>;
  if (given['help']) return undefined;
  const rest = [...parsed.positionals];
  const values = Object.entries(options).map(([name, { argument, read }]) => {
    const text = argument ? rest.shift() : given[name];
    return [name, read(text === true ? '' : text, name)];
  });
  if (rest.length > 0) throw new RangeError(`'${rest[0]}' is one argument too many`);
  return Object.fromEntries(values);
}

function usageOf(command: string, about: string, options: Options, note: string): string {
  const all = Object.entries({ ...options, help: flag('show this text') });
  const heads = all.map(([name, { example = '', argument }]) => (argument ? name : `--${name} ${example}`.trim()));
  const width = Math.max(...heads.map((head) => head.length)) + 4;
  const indent = ' '.repeat(width + 2);
  const lines = all.map(
    ([, option], i) => `  ${heads[i]?.padEnd(width)}${option.about.replaceAll('\n', `\n${indent}`)}`,
  );
  const places = all.map(([name, { argument }]) => (argument ? ` ${name}` : ''));
  const parts = [`Usage: ${command}${places.join('')} [option]...`, `Measures ${about}.`, lines.join('\n'), note];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Shows progress: on a terminal in one line, which the next call replaces and `status('')` erases. */
export function status(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}

/** Counts rounds and shows each: round 0, which only warms up, and `count` more. */
export function* inRounds(what: string, count: number): Generator<number> {
  for (let round = 0; round <= count; round++) {
    status(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${count}`} …`);
    yield round;
  }
}

/** Ends a run with its message and exit code 1: a present key was not found, for instance, or a compiler is missing. */
export class BenchmarkError extends Error {}

/** Runs a benchmark. `command` and `about` begin its usage, and `note` ends it. */
export type Run = (args: string[], command: string, about: string, note: string) => Promise<void>;

/** A benchmark that prints a report. `needs` comes at the end of the usage, before the note. */
export function benchmark<const O extends Options>(
  options: O,
  report: (values: Values<O>) => string | Promise<string>,
  needs = '',
): Run {
  return async (args, command, about, note) => {
    const usage = usageOf(command, about, options, needs + note);
    let values: Values<O> | undefined;
    try {
      values = readValues(options, args);
    } catch (error) {
      console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
      process.exitCode = 2;
      return;
    }
    if (values === undefined) {
      console.log(usage);
      return;
    }
    try {
      const text = await report(values);
      status('');
      console.log(text);
    } catch (error) {
      status('');
      if (!(error instanceof BenchmarkError)) throw error;
      console.error(error.message);
      process.exitCode = 1;
    }
  };
}
