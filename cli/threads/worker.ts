// What the other threads of the command line run. Each gets its task when it starts, and then answers questions.

import { parentPort, workerData } from 'node:worker_threads';
import type { FillTask } from './fill.ts';
import { startFilling } from './fill-worker.ts';
import type { SelectTask } from './select.ts';
import { startSelecting } from './select-worker.ts';

type Task = SelectTask | FillTask;

/** An answer, and the memory that is moved to the thread that asked, not copied. */
export interface Reply {
  readonly answer: unknown;
  readonly moved?: readonly ArrayBuffer[];
}

/** Answers the questions of one task. */
export type Answer = (question: never) => Reply;

function start(task: Task): Answer | Promise<Answer> {
  return task.name === 'select' ? startSelecting(task) : startFilling(task);
}

const answer = await start(workerData as Task);
parentPort?.on('message', (question) => {
  const { answer: given, moved = [] } = answer(question as never);
  parentPort?.postMessage(given, moved);
});
