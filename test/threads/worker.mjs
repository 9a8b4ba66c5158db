// A thread that attaches itself to one shared filter after the other, when `threads` threads have come that far, and adds
// the integers from `from` up to `to`, over and over if `isEndless`: then it tells how many are in the filter.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';

const BATCH = 5000;

const { handles, threads, arrived, from, to, isEndless } = workerData;

/** Threads that start one after another would not meet. */
function waitForOthers(count) {
  if (Atomics.add(arrived, 0, 1) + 1 === count) Atomics.notify(arrived, 0);
  for (let now = Atomics.load(arrived, 0); now < count; now = Atomics.load(arrived, 0)) Atomics.wait(arrived, 0, now);
}

const keys = Uint32Array.from({ length: to - from }, (_, i) => from + i);
const flags = new Uint8Array(BATCH);
let fresh = 0;
for (const [round, handle] of handles.entries()) {
  const filter = (handle.kind === 'classic' ? SharedBloomFilter : SharedBlockedBloomFilter).attach(handle);
  waitForOthers((round + 1) * threads);
  do {
    for (let at = 0; at < keys.length; at += BATCH) {
      filter.addMany(keys.subarray(at, at + BATCH), flags);
      for (const flag of flags) fresh += flag;
      if (isEndless) parentPort.postMessage({ attachment: filter.attachment, added: at + BATCH });
    }
  } while (isEndless);
  filter.dispose();
}
parentPort.postMessage(fresh);
