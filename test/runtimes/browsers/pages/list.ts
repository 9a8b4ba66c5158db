// A large file, chosen by the user, is filtered in a page and in a Worker.

import { addLines, BloomFilter, fileStream } from 'bloomery';
import { errorOf, holds, same } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { idleGap, watchFrames } from './frames.ts';
import { type Filtered, filterList, type List } from './list-filter.ts';
import { ask, askWorker, report } from './runner.ts';

/** The longest time between two frames of the page, in milliseconds, and how often it is tried on a busy machine. */
const GAP_LIMIT = 300;
const TRIES = 3;
/** Within how many milliseconds an abort must end a stream. */
const ABORT_LIMIT = 500;
/** By how much the memory of all processes may grow while a file is read, in MiB. */
const MEMORY_LIMIT = 150;

/** The file, and what Node makes of it. */
interface Uploaded {
  readonly middle: number;
  readonly capacity: number;
  readonly digest: string;
}

async function sha256(blob: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function upload(): Promise<{ readonly list: List; readonly digest: string }> {
  const { digest, ...known } = await ask<Uploaded>('upload');
  const file = document.querySelector('input')?.files?.[0];
  if (file === undefined) throw new Error('no file was chosen');
  return { list: { ...known, file }, digest };
}

type Way = (list: List, onProgress: (bytes: number) => void) => Promise<Filtered>;

async function filterSmoothly(way: Way): Promise<string> {
  const { list, digest } = await upload();
  const idle = await idleGap();
  const gaps: number[] = [];
  let calls = 0;
  let last = 0;
  const onProgress = (bytes: number): void => {
    holds(bytes >= last, 'progress goes back');
    last = bytes;
    calls++;
  };
  const begun = performance.now();
  while (gaps.length < TRIES && !gaps.some((gap) => gap < GAP_LIMIT)) {
    last = 0;
    const frames = watchFrames();
    const { kept, added } = await way(list, onProgress);
    gaps.push(frames.stop());
    same(added, list.capacity, 'lines added');
    same(await sha256(kept), digest, 'SHA-256 of the lines that remain');
    same(last, list.file.size, 'progress at the end, in bytes');
  }
  const tries = gaps.length;
  const detail = `longest frame gap ${gaps.map((gap) => gap.toFixed(0)).join(', then ')} ms, idle ${idle.toFixed(0)} ms`;
  holds(Math.min(...gaps) < GAP_LIMIT, detail);
  holds(calls > 2 * tries, `progress: ${calls} calls in ${tries} runs`);
  return `${detail}; ${((performance.now() - begun) / 1000 / tries).toFixed(1)} s`;
}

const abort: Check = [
  'large file, page: an abort ends it at once',
  async () => {
    const { list } = await upload();
    const controller = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, 50);
    const filter = new BloomFilter({ capacity: list.capacity });
    const { signal } = controller;
    const error = await errorOf(() => addLines(filter, list.file, { signal }), 'abort');
    const delay = performance.now() - aborted;
    holds(error === signal.reason, `rejected with ${error}`);
    holds(delay < ABORT_LIMIT, `${delay.toFixed(0)} ms after the abort`);
    return `${delay.toFixed(0)} ms after the abort`;
  },
];

const memory: Check = [
  'large file, page: fileStream reads nothing that nobody has asked for',
  async () => {
    const { list } = await upload();
    // More than half a gigabyte, of which nothing is in memory.
    const large = new Blob(Array<Blob>(8).fill(list.file));
    await ask('memory/start');
    const reader = fileStream(large).getReader();
    const { value } = await reader.read();
    // Time in which a stream that reads ahead would read all.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const growth = await ask<number>('memory/peak');
    await reader.cancel();
    const read = `read ${((value?.length ?? 0) / 2 ** 20).toFixed(0)} of ${(large.size / 2 ** 20).toFixed(0)} MiB`;
    const detail = `${read}; memory of all processes: +${growth.toFixed(0)} MiB at most`;
    holds(growth < MEMORY_LIMIT, detail);
    return detail;
  },
];

const inWorker: Way = (list, onProgress) => askWorker('list-worker', list, { onNote: onProgress });

const outcomes = await runChecks([
  ['large file, page: the page stays smooth', () => filterSmoothly(filterList)],
  ['large file, Worker: the page stays smooth', () => filterSmoothly(inWorker)],
  abort,
  memory,
]);
await report('page', outcomes);
