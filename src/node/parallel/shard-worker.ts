// What each thread of `buildOnDisk` runs.

import { parentPort, workerData } from 'node:worker_threads';
import { ShardBuilder } from '../../kinds/fuse/sharded/build.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';
import { contentOf, engineOf, type ShardTask, sortFor } from '../disk/content.ts';
import type { BuiltShard, ShardAnswer, ShardQuestion, TwoValues } from './shard-threads.ts';

const task: ShardTask = workerData;
const engine = engineOf(task);
const builder = new ShardBuilder(engine, contentOf(task));

function build(keys: Uint32Array): BuiltShard {
  const { parameters, filled } = builder.build(keys);
  return { parameters, cells: new Uint8Array(builder.view(filled)) };
}

function answerTo(question: ShardQuestion): ShardAnswer {
  try {
    return 'sort' in question ? { words: sortFor(task, engine, question.sort).length } : build(question.build);
  } catch (error) {
    const { message, positions, values } = error as TwoValues;
    if (error instanceof FilterMemoryError) return { message, byteLength: error.byteLength };
    if (positions === undefined) throw error;
    return { message, positions, values };
  }
}

parentPort?.on('message', (question: ShardQuestion) => {
  const answer = answerTo(question);
  parentPort?.postMessage(answer, 'cells' in answer ? [answer.cells.buffer] : []);
});

parentPort?.postMessage('loaded');
