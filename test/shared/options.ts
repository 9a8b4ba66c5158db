import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Ends a program that was called wrongly. */
export function misused(message: string, usage: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

/** Reads the options of a program. `--help` prints its usage; an option that it does not have is an error. */
export function optionsOf<const C extends ParseArgsConfig>(usage: string, config: C): ReturnType<typeof parseArgs<C>> {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit();
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return misused((error as Error).message, usage);
  }
}

/** The number that an option gives. Ends the program unless it is an integer, `least` or more. */
export function integerOf(name: string, text: string, least: number, usage: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  return misused(`${name} must be an integer, ${least} or more, got '${text}'`, usage);
}
