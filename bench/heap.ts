import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Collects all garbage. */
export const collectGarbage: () => void = collector();

/** How many bytes of memory the result of `make` takes, on the heap and in array buffers. */
export function memoryOf(make: () => object): number {
  const used = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const made = [make()];
  const after = used();
  // Reading `made` last keeps it from being collected while it is measured.
  return made.length * (after - before);
}
