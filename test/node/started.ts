/** How many threads are started meanwhile. */
export async function startedIn(work: () => Promise<unknown>): Promise<number> {
  let started = 0;
  const count = (): void => void started++;
  process.on('worker', count);
  await work();
  process.off('worker', count);
  return started;
}
