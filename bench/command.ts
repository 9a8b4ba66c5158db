import { type Options, readOptions, UsageError } from './options.ts';
import { MissedKeys, type Report } from './results.ts';
import { status } from './status.ts';

/** Runs a benchmark from the command line: reads the options, measures, prints, and sets the exit code. */
export async function runCommand(
  usage: string,
  defaults: Options,
  measureAll: (options: Options) => Report | Promise<Report>,
  print: (report: Report) => string,
): Promise<void> {
  try {
    const options = readOptions(process.argv.slice(2), defaults);
    if (options === undefined) {
      console.log(usage);
      return;
    }
    const report = await measureAll(options);
    status('');
    console.log(options.json ? JSON.stringify(report, null, 2) : print(report));
  } catch (error) {
    status('');
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      process.exitCode = 2;
    } else if (error instanceof MissedKeys) {
      console.error(error.message);
      process.exitCode = 1;
    } else {
      throw error;
    }
  }
}
