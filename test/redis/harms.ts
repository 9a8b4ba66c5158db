// What happens to a filter, given its name: what `check` tells, and what `repair` repairs or leaves alone.

import { expect } from 'vitest';
import { RedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { intercepted, isPublishing } from './intercept.ts';
import { client, keysOf, listsOf, listsWithPieces, piecesOf, server, stored, textOf } from './one-server.ts';
import { keys, SIZE } from './samples.ts';

export type Harm = (name: string) => Promise<unknown>;

export const all =
  (...harms: Harm[]): Harm =>
  async (name) => {
    for (const harm of harms) await harm(name);
  };

export const removeParameters: Harm = (name) => server.send('del', name);

/** Deletes all keys of some sort, or the one of this number. */
export const remove =
  (find: (name: string) => Promise<string[]>, number?: number): Harm =>
  async (name) =>
    server.send('del', ...(await find(name)).filter((_, i) => i === (number ?? i)));

/** Deletes the mark of a list beside a piece, as a failover does to a replica that was late. */
export const removeMark: Harm = async (name) => {
  const [list = ''] = await listsWithPieces(name);
  expect(await server.send('hdel', list, `${(await stored(name)).id}.whole`)).toBe(1);
};

/** Makes a text of the list beside a piece. */
export const spoilList: Harm = async (name) => server.send('set', (await listsWithPieces(name))[0] ?? '', 'x');

export const cutPiece: Harm = async (name) => server.send('set', (await piecesOf(name))[0] ?? '', 'x');

/** Copies a piece to an id that no filter has. */
export const copyPiece: Harm = async (name) => {
  const [piece = ''] = await piecesOf(name);
  await server.send('copy', piece, piece.replace(/[0-9a-f]{16}(?=:\d+$)/, 'a'.repeat(16)));
};

type Edit = readonly [from: string, to: string];
const LATER: Edit = ['"bloomery":1', '"bloomery":9'];
const edit =
  (...[from, to]: Edit): Harm =>
  async (name) =>
    server.send('set', name, (await textOf(name)).replace(from, to));

export const editVersion: Harm = edit(...LATER);
export const editCapacity: Harm = edit('"capacity":10000', '"capacity":20000');
/** Makes parameters those of a filter that is half made. */
export const editState: Harm = edit('"ready"', '"creating"');

/** Adds a filter of a later version to a list. */
export const addLater =
  (id: string): Harm =>
  async (name) =>
    server.send('hset', (await listsOf(name))[0] ?? '', id, (await textOf(name)).replace(...LATER));

/** Restores the parameters of a filter that was cleared, and perhaps its pieces, as an old backup does. */
export const restoreOld =
  (...alsoRestored: ((name: string) => Promise<string[]>)[]): Harm =>
  async (name) => {
    const restored = [name];
    for (const keysOf of alsoRestored) restored.push(...(await keysOf(name)));
    for (const key of restored) await server.send('copy', key, `aside ${key}`);
    await (await RedisBloomFilter.open(client, name)).clear();
    await (await RedisBloomFilter.open(client, name)).addMany(keys);
    for (const key of restored) await server.send('copy', `aside ${key}`, key, 'replace');
  };

/** Leaves what a client leaves that dies while it replaces a filter. */
export const leave: Harm = async (name) => {
  const dying = intercepted(client, (send, sending) =>
    isPublishing(sending, name) ? Promise.reject(new TypeError('died')) : send(),
  );
  const local = BlockedBloomFilter.from(keys, SIZE);
  await expect(RedisBloomFilter.fromLocal(dying, name, local, { replace: true })).rejects.toThrow('died');
};

/** A client that died is dead for so long that it is known. */
export const endLeases: Harm = remove((name) => keysOf(`${name}:*:making:*`));
