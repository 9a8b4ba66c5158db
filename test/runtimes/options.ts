import { parseArgs } from 'node:util';
import { expected } from './expected.ts';

export interface Options {
  /** The targets to run. */
  readonly targets: readonly string[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** Whether the README's table is written. */
  readonly saves: boolean;
}

/**
 * @returns undefined for help
 * @throws Error if an option is unknown or invalid
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const options = { only: { type: 'string' }, save: flag, help: { ...flag, short: 'h' } } as const;
  const { only, save, help } = parseArgs({ args: [...args], options }).values;
  if (help) return undefined;
  const all = expected.map(({ target }) => target);
  const targets = only?.split(',') ?? all;
  const unknown = targets.find((target) => !all.includes(target));
  if (unknown !== undefined) throw new RangeError(`--only takes ${all.join(', ')}, got '${unknown}'`);
  if (save && only !== undefined) throw new RangeError('--save writes a table of all runtimes: leave out --only');
  return { targets, isWhole: only === undefined, saves: save };
}
