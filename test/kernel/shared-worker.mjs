// A thread that adds the same hashes as another one, at the same time, to one body after the other.

import { parentPort, workerData } from 'node:worker_threads';

const { module, memory, work, flags, gate, threads, name, rounds } = workerData;
const { exports } = new WebAssembly.Instance(module, { env: { memory } });
exports.use_work(work);
const arrived = new Int32Array(memory.buffer, gate, rounds.length);

const fresh = rounds.map(({ before, hashes, length }, round) => {
  // All threads begin at once: the last one wakes the others.
  if (Atomics.add(arrived, round, 1) === threads - 1) Atomics.notify(arrived, round);
  const count = () => Atomics.load(arrived, round);
  for (let n = count(); n < threads; n = count()) Atomics.wait(arrived, round, n);
  return exports[name](...before, hashes, length, flags);
});
parentPort.postMessage(fresh);
