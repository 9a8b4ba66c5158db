// A result as text for the fragment of a URL, and back.

import { byCase, contenderNames, operations, type Result, temperatures } from './run.ts';

/** The version of what a link contains. A change to that, or to the list of contenders, needs another one. */
const VERSION = 1;
const PREFIX = `#result=${VERSION}.`;

/** Times are stored in tenths of a nanosecond. None is 0: they are divided by each other. */
const SCALE = 10;
const MOST_ROUNDS = 100;
const MOST_KEYS = 10_000_000;
const LONGEST_TEXT = 500;
/** A millisecond per key, in nanoseconds: slower than any contender. */
const LONGEST_TIME = 1e6;

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export function toFragment({ plan, machine, times, falsePositives }: Result): string {
  // The lists of all contenders, one case after the other.
  const lists = temperatures.flatMap((temperature) => operations.flatMap((operation) => times[temperature][operation]));
  const rounded = lists.map((list) => list.map((time) => Math.max(1, Math.round(SCALE * time))));
  // A browser may call itself by a text of any length.
  const userAgent = machine.userAgent.slice(0, LONGEST_TEXT);
  const kept = { plan, machine: { ...machine, userAgent }, times: rounded, falsePositives };
  return PREFIX + toBase64Url(new TextEncoder().encode(JSON.stringify(kept)));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new RangeError('a part is missing');
}

function numberIn(value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new RangeError('a number is out of range');
}

function wholeIn(value: unknown, least: number, most: number): number {
  if (Number.isInteger(value)) return numberIn(value, least, most);
  throw new RangeError('a number is not whole');
}

function textLike(value: unknown, pattern: RegExp): string {
  if (typeof value === 'string' && value.length <= LONGEST_TEXT && pattern.test(value)) return value;
  throw new RangeError('a text is not what it should be');
}

function listOf<T>(value: unknown, length: number, read: (each: unknown) => T): T[] {
  if (Array.isArray(value) && value.length === length) return value.map(read);
  throw new RangeError('a list has another length than it should have');
}

const VERSION_NUMBER = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

function readResult(value: unknown): Result {
  const { plan, machine, times, falsePositives } = record(value);
  const keys = wholeIn(record(plan)['keys'], 1, MOST_KEYS);
  const rounds = wholeIn(record(plan)['rounds'], 1, MOST_ROUNDS);
  const { userAgent, cores, engine, bloomery, bloomfilter, clock, date } = record(machine);
  const contenders = contenderNames.length;
  const lists = listOf(times, temperatures.length * operations.length * contenders, (list) =>
    listOf(list, rounds, (time) => numberIn(time, 1, SCALE * LONGEST_TIME) / SCALE),
  );
  return {
    plan: { keys, rounds },
    machine: {
      userAgent: textLike(userAgent, /^/),
      cores: wholeIn(cores, 0, 10_000),
      engine: textLike(engine, /^(?:wasm|js)$/) as 'wasm' | 'js',
      bloomery: textLike(bloomery, VERSION_NUMBER),
      bloomfilter: textLike(bloomfilter, VERSION_NUMBER),
      clock: numberIn(clock, 0, 1e6),
      date: textLike(date, /^\d{4}-\d\d-\d\d$/),
    },
    times: byCase(() => lists.splice(0, contenders)),
    falsePositives: listOf(falsePositives, contenders, (count) => wholeIn(count, 0, keys)),
  };
}

/**
 * Reads the fragment of a URL.
 *
 * @returns undefined if it is not a shared result
 * @throws RangeError if it is a shared result that cannot be read
 */
export function fromFragment(fragment: string): Result | undefined {
  if (!fragment.startsWith('#result=')) return undefined;
  if (!fragment.startsWith(PREFIX)) throw new RangeError('it comes from another version of this page');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(fromBase64Url(fragment.slice(PREFIX.length))));
  } catch {
    throw new RangeError('it is damaged, or a part of it is missing');
  }
  return readResult(value);
}
