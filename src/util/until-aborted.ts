/**
 * Waits for work, but no longer than until the signal aborts: then rejects with the signal's reason, whatever the work
 * does. Sources need not take notice of signals.
 */
export async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    // Not `throwIfAborted`, which the signals of Jest 29 lack.
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
