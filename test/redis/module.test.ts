import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { type Result, run, runIn, runOn, temporaryFolder } from '../cli/run.ts';
import { readVectors } from '../foreign/vectors.ts';
import { libraries, makeProject } from './clients.ts';
import { server } from './one-server.ts';
import { Relay } from './relay.ts';

// The servers of the tests do not have the module. What it replied when the vectors were made is played back.

interface Dump {
  readonly id: string;
  readonly chunks: readonly { readonly iterator: number; readonly base64: string }[];
}

const dump = readVectors<{ readonly vectors: readonly Dump[] }>('redisbloom').vectors.find(
  ({ id }) => id === 'scaling-3-links',
);
const replies = [
  ...(dump?.chunks ?? []).map(({ iterator, base64 }) => [iterator, Buffer.from(base64, 'base64')] as const),
  [0, Buffer.alloc(0)] as const,
];
const { path, remove } = temporaryFolder();

let relay: Relay;

/** The bytes of a reply to a request, if it is BF.SCANDUMP. */
function answer(request: Buffer): Buffer | undefined {
  const [command, name, iterator] = request
    .toString('latin1')
    .split('\r\n')
    .filter((_, i) => i > 0 && i % 2 === 0);
  if (command?.toLowerCase() !== 'bf.scandump') return undefined;
  if (name !== 'taken') return Buffer.from('-ERR not found\r\n');
  const before = iterator === '0' ? -1 : replies.findIndex(([from]) => String(from) === iterator);
  const [next, data] = replies[before + 1] ?? [];
  if (!data) return Buffer.from('-ERR no such iterator\r\n');
  return Buffer.concat([Buffer.from(`*2\r\n:${next}\r\n$${data.length}\r\n`), data, Buffer.from('\r\n')]);
}

beforeAll(async () => {
  for (const library of libraries) makeProject(path(library), library);
  relay = await Relay.start(server.port);
  relay.answerWith(answer);
}, 60_000);

afterAll(() => {
  relay.close();
  remove();
});

describe.each(libraries)('with %s installed, filters of the module RedisBloom', (library) => {
  const file = path(`${library}.dump`);

  function pull(port: number, name: string): Promise<Result> {
    const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${port}` };
    return runIn({ cwd: path(library), env }, 'redis', 'pull', '--module', name, '-o', file);
  }

  it('are saved as files', async () => {
    expect(await pull(relay.port, 'taken')).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const saved = readFileSync(file);
    expect(saved.equals(Buffer.concat(replies.map(([, data]) => data)))).toBe(true);
    expect(saved.equals(RedisBloomDump.fromChunks(replies).toBytes())).toBe(true);
  });

  it('are missed with words that say whether it is the filter or the module', async () => {
    expect(await pull(relay.port, 'nobody')).toMatchObject({
      code: 2,
      stderr: "bloomery: 'nobody' is not a filter of the module RedisBloom\n",
    });
    expect(await pull(server.port, 'taken')).toMatchObject({
      code: 2,
      stderr: 'bloomery: this server does not have the module RedisBloom\n',
    });
  });
});

it('filters of the module are answered from by the commands that read files', async () => {
  const file = path('saved');
  writeFileSync(file, Buffer.concat(replies.map(([, data]) => data)));
  const format = ['--format', 'redisbloom'];
  const shown = await run('info', file, '--json', ...format);
  expect(JSON.parse(shown.stdout.toString())).toMatchObject({ kind: 'redisbloom', capacity: 30, errorRate: 0.02 });
  const text = 'user-s7\nuser-s199\nnobody-s3\n';
  expect((await runOn(text, 'pick', file, ...format)).stdout.toString()).toBe('user-s7\nuser-s199\n');
  expect((await runOn(text, 'omit', file, ...format)).stdout.toString()).toBe('nobody-s3\n');
  expect(await run('has', file, 'user-s0', 'nobody-s3', ...format)).toMatchObject({
    code: 1,
    stdout: Buffer.from('user-s0\n'),
  });
});
