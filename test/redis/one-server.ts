// One server for all tests of a file, and a client of it.

import { afterAll } from 'vitest';
import type { RedisClient } from '../../src/entries/redis.ts';
import { type Client, connect } from './clients.ts';
import { Server } from './servers.ts';

export const server: Server = await Server.start();
export const connection: Client = await connect('redis', [server.port]);
export const client: RedisClient = connection.client;

export { newName } from './samples.ts';

export async function keysOf(pattern: string): Promise<string[]> {
  return ((await server.send('keys', pattern)) as string[]).toSorted();
}

/** The parameters of a filter. */
export const textOf = async (name: string): Promise<string> => String(await server.send('get', name));
export const stored = async (name: string) => JSON.parse(await textOf(name));

/** The strings that hold the bits of a filter. */
export async function piecesOf(name: string): Promise<string[]> {
  return (await keysOf(`${name}:{*`)).filter((key) => /\}:(?!once:).*\b\d+$/.test(key));
}

export const listsOf = (name: string): Promise<string[]> => keysOf(`${name}:*:filters`);

/** The lists in slots with pieces. Up to two others are in slots without. */
export async function listsWithPieces(name: string): Promise<string[]> {
  const tagOf = (key: string): string => key.slice(0, key.indexOf('}'));
  const tags = new Set((await piecesOf(name)).map(tagOf));
  return (await listsOf(name)).filter((list) => tags.has(tagOf(list)));
}

afterAll(() => {
  connection.close();
  server.stop();
});
