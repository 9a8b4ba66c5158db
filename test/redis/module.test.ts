// The servers of the tests do not have the module RedisBloom. What it replied when the vectors were made is played back.

import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { readVectors } from '../foreign/vectors.ts';
import { libraries } from './clients.ts';
import { path, redis } from './commands.ts';
import { server } from './one-server.ts';
import { Relay } from './relay.ts';

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

const relay = await Relay.start(server.port);
relay.answerWith(answer);
afterAll(() => relay.close());

it.each(libraries)('filters of the module are saved as files, or missed in words that say why: %s', async (library) => {
  const file = path(`${library}.dump`);
  const pull = (port: number, name: string) =>
    redis(library, `redis://127.0.0.1:${port}`, 'pull', '--module', name, '-o', file);
  const refused = (why: string): object => ({ code: 2, stderr: `bloomery: ${why} the module RedisBloom\n` });
  expect(await pull(relay.port, 'taken')).toMatchObject({ code: 0, stderr: '' });
  const saved = readFileSync(file);
  expect(saved.equals(Buffer.concat(replies.map(([, data]) => data)))).toBe(true);
  expect(saved.equals(RedisBloomDump.fromChunks(replies).toBytes())).toBe(true);
  expect(await pull(relay.port, 'nobody')).toMatchObject(refused("'nobody' is not a filter of"));
  await server.send('set', 'text', 'hello');
  expect(await pull(server.port, 'text')).toMatchObject(refused('this server does not have'));
});
