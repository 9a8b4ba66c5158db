// What the other threads of the command line run. Each gets its task when it starts, and then answers questions.

import { parentPort, workerData } from 'node:worker_threads';
import { hashKeys } from 'bloomery/hash';
import { loadAny } from 'bloomery/load';
import { canGrow, classOf, type GrowingFilter, makeFilter, readableClasses } from '../filters/kinds.ts';
import { keyedIn, keysOf } from '../text/records.ts';
import { moveFlagged, selectBy, selectInto } from '../text/select.ts';
import type { DedupeQuestion, DedupeTask, Kept } from './dedupe.ts';
import type { Filled, FillQuestion, FillTask, FilterChunk } from './fill.ts';
import type { Hashed, HashedBatch, HashTask } from './hash.ts';
import type { Selected, SelectTask } from './select.ts';
import { attach } from './shared.ts';
import { type Lines, linesIn, tallied, type Work } from './work.ts';

/** An answer, and the memory that is moved to the thread that asked, not copied. */
interface Reply<A> {
  readonly answer: A;
  readonly moved?: readonly ArrayBuffer[];
}

/** Opens the filter, and selects lines in batches. */
async function select({ verb, format, filter }: SelectTask): Promise<(work: Work) => Reply<Selected>> {
  const opened = 'file' in filter ? await loadAny(readableClasses, [filter.file]) : attach(filter.handle);
  const selects = selectBy(opened, verb);
  return (work) => {
    const { text, read, format: own } = linesIn(work, format);
    const memory = text.buffer;
    const { value: length, tally } = tallied(own, (tallying) =>
      selectInto(new Uint8Array(memory), text, tallying, selects),
    );
    return { answer: { memory, read, length, tally }, moved: [memory] };
  };
}

/** Opens or makes the filter, and adds batches to it. */
function fill({ target, format }: FillTask): (question: FillQuestion) => Reply<Filled | FilterChunk> {
  const filter = 'handle' in target ? attach(target.handle) : makeOwn(target);
  let chunks: Iterator<Uint8Array<ArrayBuffer>, void> | undefined;
  return (question) => {
    if (question === 'chunk') {
      chunks ??= filter.toChunks();
      const chunk = chunks.next().value ?? undefined;
      return { answer: { chunk }, moved: chunk ? [chunk.buffer] : [] };
    }
    const { text, read, format: own } = linesIn(question, format);
    const { tally } = tallied(own, (tallying) => filter.addMany(keysOf(text, tallying)));
    return { answer: { memory: text.buffer, read, tally }, moved: [text.buffer] };
  };
}

/** Hashes lines. Also gives those that have a hash. */
function hashLines(
  { text, read, format }: Lines,
  { seed }: HashTask | DedupeTask,
): { valid: Uint8Array<ArrayBuffer>; hashed: Hashed } {
  const { value, tally } = tallied(format, (own) => {
    const { text: valid, keys } = keyedIn(text, own);
    return { valid: valid as Uint8Array<ArrayBuffer>, hashes: hashKeys(keys, { seed }).bytes };
  });
  return { valid: value.valid, hashed: { hashes: value.hashes, read, tally } };
}

/** Hashes batches. */
function hash(task: HashTask): (work: Work) => Reply<HashedBatch> {
  return (work) => {
    const lines = linesIn(work, task.format);
    const { hashed } = hashLines(lines, task);
    const memory = lines.text.buffer;
    return { answer: { ...hashed, memory }, moved: [memory, hashed.hashes.buffer] };
  };
}

/** Hashes batches, and drops the records of each that have no flag. */
function dedupe(task: DedupeTask): (question: DedupeQuestion) => Reply<Hashed | Kept> {
  const { format } = task;
  const waiting: Uint8Array<ArrayBuffer>[] = [];
  return (question) => {
    if ('flags' in question) {
      const { buffer: memory, byteOffset, byteLength } = waiting.shift() as Uint8Array<ArrayBuffer>;
      const all = new Uint8Array(memory, 0, byteOffset + byteLength);
      return {
        answer: { memory, length: moveFlagged(all, byteOffset, format, question.flags) },
        moved: [memory],
      };
    }
    const { valid, hashed } = hashLines(linesIn(question, format), task);
    waiting.push(valid);
    return { answer: hashed, moved: [hashed.hashes.buffer] };
  };
}

function makeOwn({ kind, wanted }: Extract<FillTask['target'], { kind: string }>): GrowingFilter {
  const Class = classOf(kind);
  if (!canGrow(Class)) throw new Error(`${kind} filters take no keys`);
  return makeFilter(Class, wanted);
}

function answerAll<Q, A>(answerTo: (question: Q) => Reply<A>): void {
  parentPort?.on('message', (question: Q) => {
    const { answer, moved = [] } = answerTo(question);
    parentPort?.postMessage(answer, moved);
  });
}

const task: FillTask | SelectTask | DedupeTask | HashTask = workerData;
if (task.name === 'fill') answerAll(fill(task));
else if (task.name === 'dedupe') answerAll(dedupe(task));
else if (task.name === 'hash') answerAll(hash(task));
else answerAll(await select(task));
parentPort?.postMessage('loaded');
