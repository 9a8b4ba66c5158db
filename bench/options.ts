import { parseArgs } from 'node:util';

export interface Options {
  readonly keys: readonly number[];
  readonly sets: readonly string[];
  readonly rounds: number;
  readonly json: boolean;
  readonly save: boolean;
}

/** @throws RangeError */
export function readCount(name: string, text: string, most: number): number {
  const count = text === '' ? Number.NaN : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new RangeError(`--${name} must be a whole number from 1 to ${most}, got '${text}'`);
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { keys: text, sets: text, rounds: text, json: flag, save: flag, help: { ...flag, short: 'h' } };
  return parseArgs({ args: [...args], options: options as typeof options & { help: { short: string } } }).values;
}

/**
 * @returns undefined for help
 * @throws Error if an option is unknown or invalid
 */
export function readOptions(args: readonly string[], defaults: Options): Options | undefined {
  const { keys, sets, rounds, json, save, help } = parse(args);
  if (help) return undefined;
  const chosen = sets?.split(',') ?? defaults.sets;
  const unknown = chosen.find((name) => !defaults.sets.includes(name));
  if (unknown !== undefined) throw new RangeError(`--sets takes ${defaults.sets.join(', ')}, got '${unknown}'`);
  return {
    keys: keys?.split(',').map((count) => readCount('keys', count, 1e8)) ?? defaults.keys,
    sets: chosen,
    rounds: rounds === undefined ? defaults.rounds : readCount('rounds', rounds, 1000),
    json,
    save,
  };
}
