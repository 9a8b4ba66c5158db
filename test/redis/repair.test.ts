// What `repair` does, and what it leaves alone.

import { describe, expect, it } from 'vitest';
import {
  type RedisAdapter,
  RedisBloomFilter,
  type RedisRepairStep,
  RotatingRedisBloomFilter,
} from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { gate, intercepted, isPublishing } from './intercept.ts';
import { client, keysOf, listsOf, listsWithPieces, newName, piecesOf, server } from './one-server.ts';
import { shiftWindows } from './servers.ts';

const SIZE = { capacity: 10_000 };
const ROTATING = { ...SIZE, window: 3_600_000 };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const local = BlockedBloomFilter.from(keys, SIZE);

const open = (name: string) => RedisBloomFilter.open(client, name, SIZE);
const openRotating = (name: string) => RotatingRedisBloomFilter.open(client, name, ROTATING);
const repair = (name: string, options?: object) => RedisBloomFilter.repair(client, name, options);
const actionsOf = (steps: readonly RedisRepairStep[]): string[] => steps.map(({ action }) => action);
const statusOf = async (name: string) => (await RedisBloomFilter.check(client, name)).status;
const textOf = async (name: string): Promise<string> => String(await server.send('get', name));

/** All that Redis has under a name, but answers that it saves. */
async function dump(name: string): Promise<Map<string, unknown>> {
  const all = (await keysOf(`${name}*`)).filter((key) => !key.includes(':once:'));
  const values = all.map(
    async (key): Promise<[string, unknown]> => [key, await server.send('debug', 'digest-value', key)],
  );
  return new Map(await Promise.all(values));
}

/** Adds a filter that was never published, as a client leaves it that dies. */
async function leave(name: string): Promise<void> {
  const dying = intercepted(client, (send, sending) =>
    isPublishing(sending, name) ? Promise.reject(new TypeError('died')) : send(),
  );
  await expect(RedisBloomFilter.fromLocal(dying, name, local, { replace: true })).rejects.toThrow('died');
  await server.send('del', ...(await keysOf(`${name}:*:making:*`)));
}

type Harm = (name: string) => Promise<unknown>;
const removeParameters: Harm = (name) => server.send('del', name);
const removeList =
  (at: number): Harm =>
  async (name) =>
    server.send('del', (await listsOf(name)).at(at) ?? '');
const copyPiece: Harm = async (name) => {
  const [piece = ''] = await piecesOf(name);
  await server.send('copy', piece, piece.replace(/[0-9a-f]{16}(?=:\d+$)/, 'a'.repeat(16)));
};
const all =
  (...harms: Harm[]): Harm =>
  async (name) => {
    for (const harm of harms) await harm(name);
  };

describe('repairs, so that the filter is as it was,', () => {
  it.each<[string, string[], Harm]>([
    ['nothing', [], async () => {}],
    ['missing parameters', ['parameters'], removeParameters],
    ['a missing list', ['lists'], removeList(0)],
    ['two missing lists', ['lists'], all(removeList(1), removeList(0))],
    ['missing parameters and a list', ['lists', 'parameters'], all(removeList(2), removeParameters)],
    ['what a dead client has left', ['discard'], leave],
    ['pieces that no filter has', ['orphans'], copyPiece],
    ['all of it at once', ['lists', 'discard', 'orphans'], all(leave, copyPiece, removeList(0))],
  ])('%s', async (_, actions, harm) => {
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
});

it('finishes a filter that is half made', async () => {
  const name = newName();
  await open(name);
  await server.send('set', name, (await textOf(name)).replace('"ready"', '"creating"'));
  await server.send('del', ...(await piecesOf(name)).slice(1));
  expect(actionsOf(await repair(name))).toEqual(['finish']);
  expect(await statusOf(name)).toBe('ok');
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
  const { id } = JSON.parse(await textOf(name));
  await server.send('hset', list, `${id}.window`, Math.floor(Date.now() / ROTATING.window) - 1);
  const before = await dump(name);
  expect(await repair(name)).toEqual([]);
  expect(await dump(name)).toEqual(before);
  expect(await RedisBloomFilter.check(client, name)).toMatchObject({
    problems: [{ code: 'LOST', level: 'critical', remedy: expect.stringMatching(/^delete it by its name/) }],
  });
});

const edit = async (name: string, from: string, to: string): Promise<unknown> =>
  server.send('set', name, (await textOf(name)).replace(from, to));

/** Restores the parameters of a filter that was cleared, and perhaps its pieces, as an old backup does. */
const restoreOld =
  (...alsoRestored: ((name: string) => Promise<string[]>)[]): Harm =>
  async (name) => {
    const restored = [name];
    for (const keysOf of alsoRestored) restored.push(...(await keysOf(name)));
    for (const key of restored) await server.send('copy', key, `aside ${key}`);
    await (await RedisBloomFilter.open(client, name)).clear();
    await (await RedisBloomFilter.open(client, name)).addMany(keys);
    for (const key of restored) await server.send('copy', `aside ${key}`, key, 'replace');
  };

/** Removes a field from a list, as a failover does to a replica that was late. */
const removeField =
  (at: (lists: string[]) => string | undefined, suffix: string): Harm =>
  async (name) => {
    const { id } = JSON.parse(await textOf(name));
    expect(await server.send('hdel', at(await listsWithPieces(name)) ?? '', `${id}${suffix}`)).toBe(1);
  };

it.each<[string, Harm]>([
  ['has a list without its mark, whose piece may lack keys', removeField(([list]) => list, '.whole')],
  [
    'has a list without its mark, and another one without the filter',
    all(
      removeField(([list]) => list, '.whole'),
      async (name) => server.send('del', (await listsWithPieces(name))[1] ?? ''),
    ),
  ],
  [
    'has a list without its mark, and has lost its parameters',
    all(
      removeField(([list]) => list, '.whole'),
      removeParameters,
    ),
  ],
  ['has lost all but its pieces', async (name) => server.send('del', name, ...(await listsOf(name)))],
  ['has parameters of an earlier one', restoreOld()],
  ['has parameters and pieces of an earlier one', restoreOld(piecesOf)],
  [
    'has parameters of an earlier one that was not finished',
    all(restoreOld(), async (name) => server.send('set', name, (await textOf(name)).replace('"ready"', '"creating"'))),
  ],
  [
    'has lost a piece, and has orphans',
    all(async (name) => server.send('del', (await piecesOf(name))[0] ?? ''), copyPiece),
  ],
  ['has lost a piece', async (name) => server.send('del', (await piecesOf(name))[0] ?? '')],
  [
    'has lost a piece and a list',
    all(async (name) => server.send('del', (await piecesOf(name))[0] ?? ''), removeList(0)),
  ],
  ['has a short piece', async (name) => server.send('set', (await piecesOf(name))[0] ?? '', 'x')],
  ['has lost a piece and its parameters', async (name) => server.send('del', name, (await piecesOf(name))[0] ?? '')],
  ['has parameters that were edited', (name) => edit(name, '10000', '20000')],
  ['is of a later version', (name) => edit(name, '"bloomery":1', '"bloomery":9')],
  ['is something else', all(copyPiece, (name) => server.send('set', name, 'mine'))],
  [
    'has a later version in its lists, which may have pieces that look like orphans',
    all(copyPiece, removeParameters, async (name) => {
      const [list = ''] = await listsOf(name);
      const fields = (await server.send('hvals', list)) as string[];
      const text = String(fields.find((each) => each.startsWith('{')));
      await server.send('hset', list, 'a'.repeat(16), text.replace('"bloomery":1', '"bloomery":9'));
    }),
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

/** A client that once, before it sends a command about a key, waits until something else is done. */
function interrupted(name: string, readings: number, at: RegExp, work: () => Promise<unknown>): RedisAdapter {
  let isDone = false;
  let read = 0;
  return intercepted(client, async (send, { key, command }) => {
    // The scripts about the name alone, which read the parameters or ask the server.
    if (key === name && command.length === 4) read++;
    if (!isDone && read >= readings && at.test(key)) {
      isDone = true;
      await work();
    }
    return send();
  });
}

it.each<[string, RegExp]>([
  ['the lists are read', /:filters$/],
  ['the notes are read', /:making$/],
  ['the lease is looked at', /:making:/],
])('leaves a filter alone that gets the name before %s', async (_, at) => {
  const name = newName();
  await open(name);
  const [reached, goOn] = [gate(), gate()];
  const slow = intercepted(client, async (send, sending) => {
    if (!isPublishing(sending, name)) return send();
    reached.open();
    await goOn.passed;
    return send();
  });
  const replacing = RedisBloomFilter.fromLocal(slow, name, local, { replace: true });
  await reached.passed;
  // Not when it looks for orphans, but later.
  const repairing = interrupted(name, 3, at, () => {
    goOn.open();
    return replacing;
  });
  expect(await RedisBloomFilter.repair(repairing, name)).toEqual([]);
  expect(await (await replacing).omit(keys)).toEqual([]);
  expect(await statusOf(name)).toBe('ok');
});

it('leaves a filter alone that gets the name after it was looked at', async () => {
  const name = newName();
  await open(name);
  await leave(name);
  const text = await textOf(name);
  const [note = ''] = (await server.send('hvals', `${name}:{${name}}:making`)) as string[];
  const steps = await repair(name, { onStep: () => void server.send('set', name, note) });
  expect(actionsOf(steps)).toEqual(['discard']);
  expect(JSON.parse(await textOf(name)).id).not.toBe(JSON.parse(text).id);
  expect(await (await open(name)).omit(keys)).toEqual([]);
});

it('leaves a filter alone that is made while the lists are read', async () => {
  const name = newName();
  const [reached, goOn] = [gate(), gate()];
  const slow = intercepted(client, async (send, sending) => {
    // The script that notes that all pieces are made.
    if (!sending.key.endsWith(':filters') || !/^[0-9a-f]{16}$/.test(sending.last)) return send();
    reached.open();
    await goOn.passed;
    return send();
  });
  let making: Promise<unknown> | undefined;
  const repairing = interrupted(name, 2, /:filters$/, async () => {
    making = RedisBloomFilter.open(slow, name, SIZE);
    await reached.passed;
  });
  expect(actionsOf(await RedisBloomFilter.repair(repairing, name))).not.toContain('discard');
  goOn.open();
  await making;
  expect(await statusOf(name)).toBe('ok');
});

it('leaves nothing in the lists that looks whole if another client deletes the filter meanwhile', async () => {
  const name = newName();
  await open(name);
  await removeList(0)(name);
  const racing = intercepted(client, async (send, { command }) => {
    // The script that enters a filter in a list.
    if (command.length === 6 && command[2] === '1') await RedisBloomFilter.delete(client, name);
    return send();
  });
  await RedisBloomFilter.repair(racing, name);
  expect(await keysOf(`${name}*`)).toEqual([]);
});

it('takes wrong arguments for errors', async () => {
  await expect(repair('x', { dryRun: 1 })).rejects.toThrow(TypeError);
  await expect(repair('x', { onStep: 1 })).rejects.toThrow(TypeError);
  await expect(repair('{x}')).rejects.toThrow(RangeError);
});
