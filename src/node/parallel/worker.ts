// What each thread of `buildParallel` runs.

import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { linesOf } from '../../keys/lines.ts';
import { type AnySharedFilter, type SharedFilterClass, sharedClassOf } from '../../threads/shared-classes.ts';
import { PART_BYTES, type Part, requireFound } from './parts.ts';
import { type Answer, classes, type Question, type Target, type Task } from './threads.ts';

type Filter = InstanceType<(typeof classes)[number]> | AnySharedFilter;

function open(target: Target): Filter {
  if ('handle' in target) {
    const { handle } = target;
    return (sharedClassOf(handle.kind) as SharedFilterClass).attach(handle);
  }
  const { kind, ...options } = target;
  const Class = classes.find((each) => each.kind === kind) as (typeof classes)[number];
  return new Class(options);
}

/** Node reads no more than 2 GiB at once. */
const MOST_READ = 2 ** 30;

/** Where parts of files are read to: it is used again, unless a part is longer. */
let memory = new Uint8Array(PART_BYTES);

/** Reads a part of a file. It is valid until the next one is read. */
function readFile(part: Extract<Part, { path: string }>): Uint8Array {
  const { path, from, to } = part;
  const size = to - from;
  if (size > memory.length) memory = new Uint8Array(size);
  const file = openSync(path, 'r');
  try {
    requireFound(file, part);
    for (let done = 0; done < size; ) {
      const length = readSync(file, memory, done, Math.min(MOST_READ, size - done), from + done);
      if (length === 0) throw new Error(`${path} has become shorter while it was read`);
      done += length;
    }
  } finally {
    closeSync(file);
  }
  return memory.subarray(0, size);
}

const { target, crlf }: Task = workerData;
const filter = target && open(target);

function read(part: Part): Answer {
  const bytes = 'text' in part ? part.text : readFile(part);
  const keys = linesOf(bytes, crlf);
  filter?.addMany(keys);
  return { bytes: bytes.length, lines: filter ? 0 : keys.count() };
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

parentPort?.postMessage('loaded');
