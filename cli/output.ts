import { cannot } from './errors.ts';
import { type Chunks, findTarget, save } from './save.ts';

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

/** Writes to stdout. When the promise resolves, the chunk's memory may be used again. */
export function write(chunk: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => {
    // An error ends the program: see `watchOutput`.
    process.stdout.write(chunk, (error) => error ?? resolve());
  });
}

/** Writes facts as JSON to stdout. */
export async function writeJson(facts: object): Promise<void> {
  await write(`${JSON.stringify(facts, null, 2)}\n`);
}

/**
 * Checks where something is to be written, and returns a function that writes it there. `-` is stdout.
 *
 * @throws CommandError if it cannot be written there
 */
export async function writerTo(name: string): Promise<(chunks: Chunks) => Promise<void>> {
  if (name === '-') {
    return async (chunks) => {
      for await (const chunk of chunks) await write(chunk);
    };
  }
  const target = await findTarget(name);
  return (chunks) => save(target, chunks);
}
