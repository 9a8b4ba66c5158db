/**
 * What a command line asks for, as `read` understands it. Prints the usage where that is help, which `read` tells by giving
 * nothing; where it throws, what is wrong as well, and sets the exit code.
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
