import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Collects all garbage. */
export const collectGarbage: () => void = collector();

/** By how much `used` grows while `make` runs, with all garbage collected before and after. */
function growthOf(used: () => number, make: () => object): number {
  collectGarbage();
  const before = used();
  const made = [make()];
  collectGarbage();
  const after = used();
  // Reading `made` last keeps it from being collected while it is measured.
  return made.length * (after - before);
}

/** How many bytes of the heap the result of `make` takes. */
export function heapOf(make: () => object): number {
  return growthOf(() => process.memoryUsage().heapUsed, make);
}

/** How many bytes the result of `make` takes on the heap and in array buffers. */
export function memoryOf(make: () => object): number {
  return growthOf(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  }, make);
}
