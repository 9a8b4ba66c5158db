// What each thread of `buildOnDisk` runs.

import { parentPort, workerData } from 'node:worker_threads';
import type { Engine } from '../../kernel/region.ts';
import { fingerprintsOf, sortDistinct } from '../../kinds/fuse/build.ts';
import { ShardBuilder } from '../../kinds/fuse/sharded/build.ts';
import { ShardedFuseFilter } from '../../kinds/fuse/sharded/wasm.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';
import type { BuiltShard, ShardAnswer, ShardQuestion, ShardTask } from './shard-threads.ts';

const { bits }: ShardTask = workerData;
const builder = new ShardBuilder(ShardedFuseFilter.engine as Engine, fingerprintsOf(bits));

function build(hashes: Uint32Array): BuiltShard {
  const { parameters, filled } = builder.build(hashes);
  return { parameters, cells: new Uint8Array(builder.view(filled)) };
}

function answerTo(question: ShardQuestion): ShardAnswer {
  try {
    return 'sort' in question ? { words: sortDistinct(question.sort).length } : build(question.build);
  } catch (error) {
    if (!(error instanceof FilterMemoryError)) throw error;
    const { message, byteLength } = error;
    return { message, byteLength };
  }
}

parentPort?.on('message', (question: ShardQuestion) => {
  const answer = answerTo(question);
  parentPort?.postMessage(answer, 'cells' in answer ? [answer.cells.buffer] : []);
});

parentPort?.postMessage('loaded');
