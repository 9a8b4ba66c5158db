import type { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import '../../../src/node/parallel/shard-worker.ts';
import type { ShardQuestion } from '../../../src/node/parallel/shard-threads.ts';

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

it('a thread that builds shards says how much memory it lacks', () => {
  // An array that long cannot exist, and is not read.
  const build = { length: 2 ** 40 } as Uint32Array;
  expect(ask({ build })).toEqual({
    message: expect.stringMatching(/^549755813888 keys are too many: building their filter takes /),
    byteLength: expect.any(Number),
  });
});
