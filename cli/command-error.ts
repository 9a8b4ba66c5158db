// The errors of the command line, with what browsers have too: the site reads texts as it does.

/** An error whose message is meant for the user of the command line. */
export class CommandError extends Error {}

export function quote(text: string): string {
  return `'${text.length > 200 ? `${text.substring(0, 200)}…` : text}'`;
}

/** A text in the quotes of a shell. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The name of a file as a word of a command that can be pasted into a shell. */
export function wordOf(file: string): string {
  return /^[\w@%+=:,./-]+$/.test(file) ? file : inQuotes(file);
}

/** The name of a file in a message. `-` is stdin. */
export function nameOf(file: string): string {
  return file === '-' ? 'stdin' : quote(file);
}
