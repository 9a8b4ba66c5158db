import { parseArgs } from 'node:util';

export interface Options {
  readonly keys: readonly number[];
  readonly sets: readonly string[];
  readonly rounds: number;
  readonly json: boolean;
  readonly save: boolean;
}

/** A command line that makes no sense. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readCount(name: string, text: string, most: number): number {
  const count = text === '' ? Number.NaN : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new UsageError(`--${name} must be a whole number from 1 to ${most}, got '${text}'`);
}

/** @throws UsageError */
function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { keys: text, sets: text, rounds: text, json: flag, save: flag, help: { ...flag, short: 'h' } };
    return parseArgs({ args: [...args], options: options as typeof options & { help: { short: string } } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * @returns nothing where help is asked for
 * @throws UsageError
 */
export function readOptions(args: readonly string[], defaults: Options): Options | undefined {
  const { keys, sets, rounds, json, save, help } = parse(args);
  if (help) return undefined;
  const chosen = sets?.split(',') ?? defaults.sets;
  const unknown = chosen.find((name) => !defaults.sets.includes(name));
  if (unknown !== undefined) throw new UsageError(`--sets must be of ${defaults.sets.join(', ')}, got '${unknown}'`);
  return {
    keys: keys?.split(',').map((count) => readCount('keys', count, 1e8)) ?? defaults.keys,
    sets: chosen,
    rounds: rounds === undefined ? defaults.rounds : readCount('rounds', rounds, 1000),
    json,
    save,
  };
}
