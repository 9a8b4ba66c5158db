/** Shows progress: on a terminal in one line, which the next call replaces and `status('')` erases. */
export function status(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
