// What `repair` does, and what it leaves alone.

import { expect, it } from 'vitest';
import { RedisBloomFilter, type RedisRepairStep, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import {
  addLater,
  all,
  copyPiece,
  cutPiece,
  editCapacity,
  editState,
  editVersion,
  endLeases,
  type Harm,
  leave,
  remove,
  removeMark,
  removeParameters,
  restoreOld,
} from './harms.ts';
import { held, intercepted, interrupted, isPublishing, type Sending } from './intercept.ts';
import { client, keysOf, listsOf, listsWithPieces, newName, piecesOf, server, stored } from './one-server.ts';
import { keys, ROTATING, SIZE } from './samples.ts';
import { shiftWindows } from './servers.ts';

const local = BlockedBloomFilter.from(keys, SIZE);

const open = (name: string) => RedisBloomFilter.open(client, name, SIZE);
const openRotating = (name: string) => RotatingRedisBloomFilter.open(client, name, ROTATING);
const repair = (name: string, options?: object) => RedisBloomFilter.repair(client, name, options);
const actionsOf = (steps: readonly RedisRepairStep[]): string[] => steps.map(({ action }) => action);
const statusOf = async (name: string) => (await RedisBloomFilter.check(client, name)).status;

/** All that Redis has under a name, but answers that it saves. */
async function dump(name: string): Promise<Map<string, unknown>> {
  const all = (await keysOf(`${name}*`)).filter((key) => !key.includes(':once:'));
  const digests = await Promise.all(all.map((key) => server.send('debug', 'digest-value', key)));
  return new Map(all.map((key, i) => [key, digests[i]]));
}

it.each<[string, string[], Harm]>([
  ['nothing', [], async () => {}],
  ['missing parameters', ['parameters'], removeParameters],
  ['a missing list', ['lists'], remove(listsOf, 0)],
  ['two missing lists', ['lists'], all(remove(listsOf, 1), remove(listsOf, 0))],
  ['missing parameters and a list', ['lists', 'parameters'], all(remove(listsOf, 2), removeParameters)],
  ['what a dead client has left', ['discard'], all(leave, endLeases)],
  ['pieces that no filter has', ['orphans'], copyPiece],
  ['all of it at once', ['lists', 'discard', 'orphans'], all(leave, endLeases, copyPiece, remove(listsOf, 0))],
])('repairs, so that the filter is as it was, %s', async (_, actions, harm) => {
  const name = newName();
  const filter = await open(name);
  await filter.addMany(keys);
  const before = await dump(name);
  await harm(name);
  const harmed = await dump(name);
  expect(actionsOf(await repair(name, { dryRun: true }))).toEqual(actions);
  expect(await dump(name)).toEqual(harmed);
  const told: RedisRepairStep[] = [];
  expect(actionsOf(await repair(name, { onStep: (step: RedisRepairStep) => told.push(step) }))).toEqual(actions);
  expect(actionsOf(told)).toEqual(actions);
  const after = await dump(name);
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const key of await piecesOf(name)) expect(after.get(key)).toEqual(before.get(key));
  expect(await filter.omit(keys)).toEqual([]);
  expect(await statusOf(name)).toBe('ok');
});

it('finishes a filter that is half made', async () => {
  const name = newName();
  await open(name);
  await editState(name);
  await server.send('del', ...(await piecesOf(name)).slice(1));
  expect(actionsOf(await repair(name))).toEqual(['finish']);
  expect(await statusOf(name)).toBe('ok');
  // A piece that is there stays without a list: it may have been made before the server lost that.
  await editState(name);
  await server.send('del', ...(await listsWithPieces(name)));
  await expect((await open(name)).has('a')).rejects.toMatchObject({ code: 'LOST' });
});

it('enters a generation of a filter that forgets in lists that lack it, if its pieces are there', async () => {
  const name = newName();
  await (await openRotating(name)).addMany(keys);
  await shiftWindows(server, name, -1);
  const filter = await openRotating(name);
  await filter.addMany(['later']);
  const before = await dump(name);
  // Also those without pieces.
  await server.send('del', name, ...(await listsOf(name)).slice(1));
  expect(actionsOf(await repair(name))).toEqual(['lists', 'parameters']);
  expect(await dump(name)).toEqual(before);
  expect(await filter.omit([...keys, 'later'])).toEqual([]);
});

it('takes the filter of the lists if the parameters of an earlier one are deleted', async () => {
  const name = newName();
  await (await open(name)).addMany(keys);
  await restoreOld(piecesOf)(name);
  await removeParameters(name);
  expect(actionsOf(await repair(name))).toEqual(['parameters']);
  expect(actionsOf(await repair(name))).toEqual(['orphans']);
  expect(await (await open(name)).omit(keys)).toEqual([]);
  expect(await statusOf(name)).toBe('ok');
});

it('leaves a generation alone if a list only has an earlier one', async () => {
  const name = newName();
  await (await openRotating(name)).addMany(keys);
  const [list = ''] = await listsWithPieces(name);
  const { id } = await stored(name);
  await server.send('hset', list, `${id}.window`, Math.floor(Date.now() / ROTATING.window) - 1);
  const before = await dump(name);
  expect(await repair(name)).toEqual([]);
  expect(await dump(name)).toEqual(before);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({
    problems: [{ code: 'LOST', level: 'critical', remedy: expect.stringMatching(/^delete it by its name/) }],
  });
});

it.each<[string, Harm]>([
  ['has a list without its mark, whose piece may lack keys', removeMark],
  ['has a list without its mark, and another one without the filter', all(removeMark, remove(listsWithPieces, 1))],
  ['has a list without its mark, and has lost its parameters', all(removeMark, removeParameters)],
  ['has lost all but its pieces', all(remove(listsOf), removeParameters)],
  ['has parameters of an earlier one', restoreOld()],
  ['has parameters and pieces of an earlier one', restoreOld(piecesOf)],
  ['has parameters of an earlier one that was not finished', all(restoreOld(), editState)],
  ['has lost a piece, and has orphans', all(remove(piecesOf, 0), copyPiece)],
  ['has lost a piece', remove(piecesOf, 0)],
  ['has lost a piece and a list', all(remove(piecesOf, 0), remove(listsOf, 0))],
  ['has a short piece', cutPiece],
  ['has lost a piece and its parameters', all(remove(piecesOf, 0), removeParameters)],
  ['has parameters that were edited', editCapacity],
  ['is of a later version', editVersion],
  ['is something else', all(copyPiece, (name) => server.send('set', name, 'mine'))],
  [
    'has a later version in its lists, which may have pieces that look like orphans',
    all(copyPiece, addLater('a'.repeat(16)), removeParameters),
  ],
])('leaves a filter alone that %s', async (_, harm) => {
  const name = newName();
  await (await open(name)).addMany(keys);
  await harm(name);
  const before = await dump(name);
  expect(await repair(name)).toEqual([]);
  expect(await dump(name)).toEqual(before);
  expect(await statusOf(name)).toBe('critical');
});

it('leaves alone what another client is making', async () => {
  const name = newName();
  const filter = await open(name);
  await filter.addMany(keys);
  const slow = intercepted(client, async (send, sending) => {
    if (isPublishing(sending, name)) expect(await repair(name)).toEqual([]);
    return send();
  });
  await (await RedisBloomFilter.open(slow, name)).clear();
  expect(await filter.pick(keys)).toEqual([]);
  expect(await statusOf(name)).toBe('ok');
});

/** What is true of commands about such a key, once the parameters were read so often. */
function reading(name: string, readings: number, at: RegExp): (sending: Sending) => boolean {
  let read = 0;
  return ({ key, command }) => {
    // The scripts about the name alone, which read the parameters or ask the server.
    if (key === name && command.length === 4) read++;
    return read >= readings && at.test(key);
  };
}

it.each<[string, RegExp]>([
  ['the lists are read', /:filters$/],
  ['the notes are read', /:making$/],
  ['the lease is looked at', /:making:/],
])('leaves a filter alone that gets the name before %s', async (_, at) => {
  const name = newName();
  await open(name);
  const { slow, arrived, open: goOn } = held(client, (sending) => isPublishing(sending, name));
  const replacing = RedisBloomFilter.fromLocal(slow, name, local, { replace: true });
  await arrived;
  // Not when it looks for orphans, but later.
  const repairing = interrupted(client, reading(name, 3, at), () => {
    goOn();
    return replacing;
  });
  expect(await RedisBloomFilter.repair(repairing, name)).toEqual([]);
  expect(await (await replacing).omit(keys)).toEqual([]);
  expect(await statusOf(name)).toBe('ok');
});

it('leaves a filter alone that gets the name after it was looked at', async () => {
  const name = newName();
  await open(name);
  await all(leave, endLeases)(name);
  const { id } = await stored(name);
  const [note = ''] = (await server.send('hvals', `${name}:{${name}}:making`)) as string[];
  const steps = await repair(name, { onStep: () => void server.send('set', name, note) });
  expect(actionsOf(steps)).toEqual(['discard']);
  expect((await stored(name)).id).not.toBe(id);
  expect(await (await open(name)).omit(keys)).toEqual([]);
});

it('leaves a filter alone that is made while the lists are read', async () => {
  const name = newName();
  // The script that notes that all pieces are made.
  const isNoting = ({ key, last }: Sending): boolean => key.endsWith(':filters') && /^[0-9a-f]{16}$/.test(last);
  const { slow, arrived, open: goOn } = held(client, isNoting);
  let making: Promise<unknown> | undefined;
  const repairing = interrupted(client, reading(name, 2, /:filters$/), async () => {
    making = RedisBloomFilter.open(slow, name, SIZE);
    await arrived;
  });
  expect(actionsOf(await RedisBloomFilter.repair(repairing, name))).not.toContain('discard');
  goOn();
  await making;
  expect(await statusOf(name)).toBe('ok');
});

it('leaves nothing in the lists that looks whole if another client deletes the filter meanwhile', async () => {
  const name = newName();
  await open(name);
  await remove(listsOf, 0)(name);
  const racing = intercepted(client, async (send, { command }) => {
    // The script that enters a filter in a list.
    if (command.length === 6 && command[2] === '1') await RedisBloomFilter.delete(client, name);
    return send();
  });
  await RedisBloomFilter.repair(racing, name);
  expect(await keysOf(`${name}*`)).toEqual([]);
});
