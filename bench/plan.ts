/**
 * What `read` makes of the command line. If it returns undefined, for help, prints the usage. If it throws, prints the
 * error and the usage, and sets the exit code.
 */
export function planOf<Plan>(usage: string, read: (args: string[]) => Plan | undefined): Plan | undefined {
  try {
    const plan = read(process.argv.slice(2));
    if (plan === undefined) console.log(usage);
    return plan;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}
