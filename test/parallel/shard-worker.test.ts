import type { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import '../../src/parallel/shard-worker.ts';
import { cellsIn } from '../../src/kinds/fuse-sizing.ts';
import type { ShardQuestion } from '../../src/parallel/shard-threads.ts';

const { port } = vi.hoisted(() => ({ port: {} as EventEmitter & { messages: unknown[] } }));

vi.mock('node:worker_threads', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  const messages: unknown[] = [];
  Object.setPrototypeOf(port, new Emitter());
  Object.assign(port, { messages, postMessage: (message: unknown) => messages.push(message) });
  return { parentPort: port, workerData: { bits: 8 } };
});

function ask(question: ShardQuestion): unknown {
  port.emit('message', question);
  return port.messages.at(-1);
}

it('a thread that builds shards says that it has loaded, sorts hashes, and builds a shard of them', () => {
  expect(port.messages).toEqual(['loaded']);
  const hashes = Uint32Array.of(3, 4, 1, 2, 3, 4);
  expect(ask({ sort: hashes })).toEqual({ words: 4 });
  expect(hashes.subarray(0, 4)).toEqual(Uint32Array.of(1, 2, 3, 4));
  const layout = { exponent: 2, segments: 1 };
  expect(ask({ build: hashes.subarray(0, 4) })).toMatchObject({
    parameters: { ...layout, count: 2 },
    cells: expect.objectContaining({ length: cellsIn(layout) }),
  });
});

it('a thread that builds shards says how much memory it lacks', () => {
  // An array that long cannot exist, and is not read.
  const build = { length: 2 ** 40 } as Uint32Array;
  expect(ask({ build })).toEqual({
    message: expect.stringMatching(/^549755813888 keys are too many: building their filter takes /),
    byteLength: expect.any(Number),
  });
});
