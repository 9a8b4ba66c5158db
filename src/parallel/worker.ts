// What each thread of `buildParallel` runs.

import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { WideBlockedBloomFilter } from '../entries/wide.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../index.ts';
import { linesOf } from '../keys/lines.ts';
import { SharedBlockedBloomFilter, SharedBloomFilter } from '../shared.ts';
import { LineCutter } from '../streams/line-cutter.ts';
import type { Part } from './parts.ts';
import type { Answer, Question, Target, Task } from './threads.ts';

const READ_BYTES = 256 * 1024;

const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, WideBlockedBloomFilter] as const;

type Filter = InstanceType<(typeof classes)[number]> | SharedBloomFilter | SharedBlockedBloomFilter;

function open(target: Target): Filter {
  if ('handle' in target) {
    const { handle } = target;
    return handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
  }
  const { kind, ...options } = target;
  const Class = classes.find((each) => each.kind === kind);
  if (Class === undefined) throw new Error(`no class has the kind ${kind}`);
  return new Class(options);
}

/** Yields whole lines of a file, in memory that is used again. */
function* linesOfFile({ path, from, to }: Extract<Part, { path: string }>): Generator<Uint8Array, void, undefined> {
  const file = openSync(path, 'r');
  const buffer = new Uint8Array(Math.min(READ_BYTES, to - from));
  const cutter = new LineCutter();
  try {
    for (let at = from; at < to; ) {
      const length = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
      if (length === 0) throw new Error(`${path} has become shorter while it was read`);
      yield* cutter.cut(buffer.subarray(0, length));
      at += length;
    }
    yield cutter.rest();
  } finally {
    closeSync(file);
  }
}

const { target, crlf }: Task = workerData;
const filter = target && open(target);

function read(part: Part): Answer {
  let [bytes, lines] = [0, 0];
  for (const some of 'text' in part ? [part.text] : linesOfFile(part)) {
    const keys = linesOf(some, crlf);
    filter?.addMany(keys);
    bytes += some.length;
    if (!filter) lines += keys.count();
  }
  return { bytes, lines };
}

parentPort?.on('message', (question: Question) => {
  if (question !== 'end') {
    parentPort?.postMessage(read(question));
    return;
  }
  const file = target && 'kind' in target ? filter?.toBytes() : undefined;
  filter?.dispose();
  const answer: Answer = { bytes: 0, lines: 0, ...(file && { file }) };
  parentPort?.postMessage(answer, file ? [file.buffer] : []);
});
