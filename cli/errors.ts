import { CommandError, nameOf } from './command-error.ts';

export { CommandError, nameOf, quote, wordOf } from './command-error.ts';

/** Removes a progress line from a terminal. */
export const CLEAR_LINE = '\r\x1b[K';

/** What Node puts in place of each byte of an argument that is not UTF-8. */
export const REPLACEMENT = '\ufffd';

const LONGEST = 1000;

/** Control characters, those that change the direction of text, and line breaks. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Turns text into one printable line, because file names may hold anything, even terminal escape sequences. */
export function oneLine(text: string): string {
  const short = text.length > LONGEST ? `${text.substring(0, LONGEST)}…` : text;
  return short.replace(UNPRINTABLE, '?');
}

/** The system's reason alone: `no such file or directory` of `ENOENT: no such file or directory, open 'x'`. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'it is a directory';
  return /^[A-Z]\w*: (.+?)(?:, \w+(?: '.*)?)?$/s.exec(message)?.[1] ?? message;
}

/** What to do about a file that does not exist because its name is something else. */
function hintFor(name: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return '';
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(name))
    return '; of a URL, pipe in what curl -fL prints, with - in place of the name';
  return name.includes(REPLACEMENT)
    ? '; if its name is not UTF-8, use < and -, which reads stdin, in place of the name'
    : '';
}

/** An error that says what failed, for which file and why: `cannot read 'x': no such file or directory`. */
export function cannot(verb: string, name: string, error: unknown): CommandError {
  const hint = verb === 'read' ? hintFor(name, error) : '';
  return new CommandError(`cannot ${verb} ${nameOf(name)}: ${reasonOf(error)}${hint}`, { cause: error });
}

/** Hides the passwords of URLs, which users may have put in the place of anything. */
function withoutPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s/@:]*:)\S*@/g, '$1…@');
}

/** Writes a line of information to stderr, over a progress line. */
export function inform(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? CLEAR_LINE : ''}${oneLine(text)}\n`);
}

/** Writes a line to stderr that names the program. */
export function say(text: string): void {
  inform(`bloomery: ${withoutPasswords(text)}`);
}

/** Whether a person sees what is said. Scripts, logs and mails of cron get less. */
export function isWatched(): boolean {
  return Boolean(process.stderr.isTTY);
}

/** Writes a line of information for a person. The text is made only if one is there to read it. */
export function tell(text: () => string): void {
  if (isWatched()) inform(text());
}

/** Reports an error in one line, and sets the exit code. */
export function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  // What the library advises then is for programs.
  say(/^WebAssembly is refused/.test(message) ? 'the command line needs WebAssembly, which is refused here' : message);
  process.exitCode = 2;
}
