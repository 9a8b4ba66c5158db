import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage that there is. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

/** By how many bytes the heap grows when something is made. */
export function heapOf(make: () => object): number {
  const heapUsed = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  const made = [make()];
  const after = heapUsed();
  // Read last, so that it is not garbage while it is measured.
  return made.length * (after - before);
}
