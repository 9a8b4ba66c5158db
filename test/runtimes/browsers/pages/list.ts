// A page filters a large file: the first half builds a filter, which then omits lines of the second half.

import { addLines, BloomFilter, fileStream, type KeyLines, lines, omitLines } from 'bloomery';
import { holds, same, sameBytes } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

/**
 * The most bytes that a task of the page may filter, in the mean of all. A page is given up after 10 ms; if it never were,
 * slices of a file would be tasks, of 8 MiB each. Single tasks say less: on a busy machine, a message between two of them
 * may come late. Frames are not measured, because they come late there too.
 */
const TASK_LIMIT = 6 * 2 ** 20;
/** The number of lines in each half. The halves share half of their lines. */
const LINES = 1_000_000;

const encoder = new TextEncoder();
const textFrom = (first: number): Uint8Array<ArrayBuffer> =>
  encoder.encode(
    Array.from({ length: LINES }, (_, i) => `${Math.imul(first + i, 0x9e3779b1)}-package-${first + i}\n`).join(''),
  );
const [first, second] = [textFrom(0), textFrom(LINES / 2)];
const file = new File([first, second], 'names.txt');

/**
 * Gives the lines of the second half that a filter of the first half does not have.
 *
 * @param onProgress called with the number of bytes done so far, in both halves
 * @param onStep called before each call of the filter, with the size of its text
 */
async function filterList(onProgress: (bytes: number) => void, onStep: (bytes: number) => void): Promise<Uint8Array> {
  using filter = new BloomFilter({ capacity: LINES });
  const step = (text: KeyLines): KeyLines => {
    onStep(text.bytes.length);
    return text;
  };
  const added = await addLines({ addMany: (text) => filter.addMany(step(text)) }, file.slice(0, first.length), {
    onProgress: ({ bytes }) => onProgress(bytes),
  });
  same(added.lines, LINES, 'lines added');
  const omitting = { omit: (text: KeyLines) => filter.omit(step(text)) } as object as BloomFilter;
  const omit = omitLines(omitting, { onProgress: ({ bytes }) => onProgress(first.length + bytes) });
  const kept = await new Response(fileStream(file.slice(first.length)).pipeThrough(omit)).arrayBuffer();
  return new Uint8Array(kept);
}

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

async function checkSmooth(): Promise<string> {
  const progress: number[] = [];
  const tasks = watchTasks();
  const kept = await filterList((bytes) => progress.push(bytes), tasks.step);
  const mean = tasks.stop();
  sameBytes(kept, BloomFilter.from(lines(first)).omit(lines(second)).bytes, 'the lines that remain');
  holds(progress.length > 2, `progress: ${progress.length} calls`);
  const goesBack = progress.some((bytes, i) => bytes < (progress[i - 1] ?? 0));
  holds(!goesBack && progress.at(-1) === file.size, `progress, of ${file.size} bytes: ${progress}`);
  const detail = `${(mean / 2 ** 20).toFixed(1)} MiB in a task`;
  holds(mean > 0 && mean < TASK_LIMIT, detail);
  return detail;
}

await report('page', await runChecks([['large file, page: the page stays smooth', checkSmooth]]));
