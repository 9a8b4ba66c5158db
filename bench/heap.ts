import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Collects all garbage. */
export const collectGarbage: () => void = collector();

/** How many bytes of the heap the result of `make` takes. */
export function heapOf(make: () => object): number {
  const heapUsed = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  const made = [make()];
  const after = heapUsed();
  // Reading `made` last keeps it from being collected while it is measured.
  return made.length * (after - before);
}
