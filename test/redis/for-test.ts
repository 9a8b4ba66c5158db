import { onTestFinished } from 'vitest';

/** Waits for a client or a server, which ends with the test. */
export async function forTest<T extends { close(): void } | { stop(): void }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(() => ('stop' in started ? started.stop() : started.close()));
  return started;
}
