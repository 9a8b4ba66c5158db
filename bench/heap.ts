import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Collects all garbage that there is. */
export const collectGarbage: () => void = collector();

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
