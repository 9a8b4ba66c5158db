// A large file, chosen by the user, is filtered in a page and in a Worker.

import { errorOf, holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { type Filtered, filterList, type List } from './list-filter.ts';
import { ask, askWorker, report } from './runner.ts';

/**
 * The most bytes that a task of the page may filter, in the mean of all. A page is given up after 10 ms; if it never were,
 * slices of a file would be tasks, of 8 MiB each. Single tasks say less: on a busy machine, a message between two of them
 * may come late. Frames are not measured, because they come late there too.
 */
const TASK_LIMIT = 6 * 2 ** 20;

/** The file, and what Node makes of it. */
interface Uploaded {
  readonly middle: number;
  readonly capacity: number;
  readonly digest: string;
}

const { digest, ...known } = await ask<Uploaded>('upload');
const file = document.querySelector('input')?.files?.[0];
if (file === undefined) throw new Error('no file was chosen');
const list: List = { ...known, file };

/** Counts the bytes that tasks of the page filter, in the mean. */
function watchTasks(): { step(bytes: number): void; stop(): number } {
  const { port1, port2 } = new MessageChannel();
  let [isNew, tasks, all] = [true, 0, 0];
  // Handled between two tasks, because there is always one of these messages.
  port1.onmessage = () => {
    isNew = true;
    port2.postMessage(null);
  };
  port2.postMessage(null);
  return {
    step(bytes) {
      if (isNew) tasks++;
      isNew = false;
      all += bytes;
    },
    stop() {
      port1.close();
      return all / tasks;
    },
  };
}

async function sha256(blob: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Filters the list in some way, and checks the result and the progress. */
async function expectResult(way: (onProgress: (bytes: number) => void) => Promise<Filtered>): Promise<void> {
  const progress: number[] = [];
  const { kept, added } = await way((bytes) => progress.push(bytes));
  same(added, list.capacity, 'lines added');
  same(await sha256(kept), digest, 'SHA-256 of the lines that remain');
  holds(progress.length > 2, `progress: ${progress.length} calls`);
  holds(
    progress.every((bytes, i) => i === 0 || bytes >= (progress[i - 1] as number)),
    'progress goes back',
  );
  same(progress.at(-1), list.file.size, 'progress at the end, in bytes');
}

await report(
  'page',
  await runChecks([
    [
      'large file, page: the page stays smooth',
      async () => {
        const tasks = watchTasks();
        await expectResult((onProgress) => filterList(list, { onProgress, onStep: tasks.step }));
        const mean = tasks.stop();
        const detail = `${(mean / 2 ** 20).toFixed(1)} MiB in a task`;
        holds(mean > 0 && mean < TASK_LIMIT, detail);
        return detail;
      },
    ],
    ['large file, Worker: is filtered', () => expectResult((onNote) => askWorker('filterList', list, { onNote }))],
    [
      'large file, page: an abort ends it in the same task',
      async () => {
        const controller = new AbortController();
        const { signal } = controller;
        let [before, after] = [0, 0];
        const onStep = (bytes: number): void => {
          if (signal.aborted) after += bytes;
          else before += bytes;
          if (before > 2 ** 22) controller.abort();
        };
        const error = await errorOf(() => filterList(list, { onProgress() {}, onStep, signal }), 'abort');
        holds(error === signal.reason, `rejected with ${error}`);
        holds(after < TASK_LIMIT, `${after} bytes were filtered after the abort`);
      },
    ],
  ]),
);
