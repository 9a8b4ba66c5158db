/** What went wrong, in words for whoever typed the command. */
export class CommandError extends Error {}

/** Makes one line of a text, for names may hold anything, escape sequences of the terminal included. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\p{Cc}/gu, '?');
}

export function quote(name: string): string {
  return name === '-' ? 'stdin' : `'${name}'`;
}

/** What the system says, without the code and the call: `ENOENT: no such file or directory, open 'x'`. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return /^[A-Z]\w*: (.+?)(?:, \w+(?: '.*)?)?$/s.exec(message)?.[1] ?? message;
}

/** The error of something that could not be done with a file: `cannot read 'x': no such file or directory`. */
export function cannot(verb: string, name: string, error: unknown): CommandError {
  return new CommandError(`cannot ${verb} ${quote(name)}: ${reasonOf(error)}`, { cause: error });
}

/** Writes one line to stderr. */
export function say(text: string): void {
  process.stderr.write(`bloomery: ${oneLine(text)}\n`);
}

/** Says what went wrong in one line, and sets the exit code. */
export function fail(error: unknown): void {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
