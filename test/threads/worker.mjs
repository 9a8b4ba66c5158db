// A thread that attaches itself to a shared filter, and adds integers from `from` up to `to`, over and over if `isEndless`.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';

const BATCH = 50_000;

const { handle, from, to, isEndless } = workerData;
const filter = (handle.kind === 'classic' ? SharedBloomFilter : SharedBlockedBloomFilter).attach(handle);
parentPort.postMessage({ attachment: filter.attachment });

const keys = new Uint32Array(BATCH);
const flags = new Uint8Array(BATCH);
let fresh = 0;
do {
  for (let at = from; at < to; at += BATCH) {
    const count = Math.min(BATCH, to - at);
    for (let i = 0; i < count; i++) keys[i] = at + i;
    filter.addMany(keys.subarray(0, count), flags);
    for (let i = 0; i < count; i++) fresh += flags[i];
    if (isEndless) parentPort.postMessage({ acknowledged: at + count });
  }
} while (isEndless);
filter.dispose();
parentPort.postMessage({ fresh });
