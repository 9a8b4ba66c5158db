import { once } from 'node:events';
import { cannot } from './errors.ts';
import { requireOther } from './same-file.ts';
import { findTarget, save } from './save.ts';

/** The exit code that a shell reports for a program ended by SIGPIPE. */
const SIGPIPE_EXIT = 141;

/** Ends the program if stdout fails: quietly once its reader has gone, as `head` does after ten lines. */
export function watchOutput(fail: (error: unknown) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(SIGPIPE_EXIT);
    fail(cannot('write to', 'stdout', error));
    process.exit();
  });
  // Nobody reads the messages. The exit code still tells.
  process.stderr.on('error', () => {});
}

/** Writes to stdout, and waits while its buffer is full. */
export async function write(chunk: Uint8Array | string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

/**
 * Checks where a text is to be written, and returns a function that writes it there. `-` is stdout.
 *
 * @param others the other files of the command
 * @throws CommandError if it cannot be written there, or is one of the others
 */
export async function textWriter(
  name: string,
  others: readonly string[],
): Promise<(chunks: AsyncIterable<Uint8Array>) => Promise<void>> {
  await requireOther(name, others);
  if (name === '-') {
    return async (chunks) => {
      for await (const chunk of chunks) await write(chunk);
    };
  }
  const target = await findTarget(name);
  return (chunks) => save(target, chunks);
}
