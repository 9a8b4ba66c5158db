// What each thread of `buildOnDisk` runs.

import { parentPort, workerData } from 'node:worker_threads';
import type { Engine } from '../../kernel/region.ts';
import { ShardBuilder } from '../../kinds/fuse/sharded/build.ts';
import { ShardedFuseFilter } from '../../kinds/fuse/sharded/wasm.ts';
import { FuseMap } from '../../kinds/fuse-map/wasm.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';
import { contentOf, type ShardTask, sortFor } from './shard-task.ts';
import type { BuiltShard, ShardAnswer, ShardQuestion, TwoValues } from './shard-threads.ts';

const task: ShardTask = workerData;
const engine = (task.valueBits === undefined ? ShardedFuseFilter : FuseMap).engine as Engine;
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
