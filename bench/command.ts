import { type Options, readOptions } from './options.ts';
import { planOf } from './plan.ts';
import { MissedKeys, type Report } from './results.ts';
import { status } from './status.ts';

/** Measures and prints the result. Missed keys set the exit code. */
export async function printed(measure: () => string | Promise<string>): Promise<void> {
  try {
    const text = await measure();
    status('');
    console.log(text);
  } catch (error) {
    status('');
    if (!(error instanceof MissedKeys)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Runs a benchmark from the command line: reads the options, measures, prints, and sets the exit code. */
export async function runCommand<R extends Report>(
  usage: string,
  defaults: Options,
  measureAll: (options: Options) => R | Promise<R>,
  print: (report: R) => string,
): Promise<void> {
  const options = planOf(usage, (args) => readOptions(args, defaults));
  if (options === undefined) return;
  await printed(async () => {
    const report = await measureAll(options);
    return options.json ? JSON.stringify(report, null, 2) : print(report);
  });
}
