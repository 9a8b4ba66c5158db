/** An error whose message is meant for the user of the command line. */
export class CommandError extends Error {}

/** Turns text into one printable line, because file names may hold anything, even terminal escape sequences. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\p{Cc}/gu, '?');
}

export function quote(name: string): string {
  return name === '-' ? 'stdin' : `'${name}'`;
}

/** The system's reason alone: `no such file or directory` of `ENOENT: no such file or directory, open 'x'`. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return /^[A-Z]\w*: (.+?)(?:, \w+(?: '.*)?)?$/s.exec(message)?.[1] ?? message;
}

/** An error that says what failed, for which file and why: `cannot read 'x': no such file or directory`. */
export function cannot(verb: string, name: string, error: unknown): CommandError {
  return new CommandError(`cannot ${verb} ${quote(name)}: ${reasonOf(error)}`, { cause: error });
}

/** Writes one line to stderr. */
export function say(text: string): void {
  process.stderr.write(`bloomery: ${oneLine(text)}\n`);
}

/** Reports an error in one line, and sets the exit code. */
export function fail(error: unknown): void {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
