// Backs a filter up, of either class, and restores it to the same or another server or cluster, by DUMP and RESTORE.
//
//   const file = await open('seen.backup', 'w');
//   for await (const saved of save(client, 'seen')) await file.write(`${JSON.stringify(saved)}\n`);
//   await file.close();
//
//   await restore(client, 'seen', () => createInterface({ input: createReadStream('seen.backup') }));

import { type Argument, adapterOf, RedisBloomFilter, type RedisClient, type RedisFilterReport } from 'bloomery/redis';

/** A key of a filter. */
export interface SavedKey {
  readonly key: string;
  /** What DUMP has replied, in Base64. */
  readonly dump: string;
  /** When it expires, in milliseconds since 1970; 0 if it does not. */
  readonly expires: number;
  /** The number of keys of the backup; only with the last one, which has the parameters. */
  readonly count?: number;
}

/** Visits some keys, and returns those of them that begin with ARGV[2]. The first one is where to go on. */
const SCAN = `local reply=redis.call('scan',ARGV[1],'count',500)
local found={reply[1]}
for _,key in ipairs(reply[2]) do if key:sub(1,#ARGV[2])==ARGV[2] then found[#found+1]=key end end
return found`;

/** When a key expires by the server's clock, which decides, in milliseconds since 1970; what PTTL says if it does not. */
const EXPIRES = `local left=redis.call('pttl',KEYS[1])
if left<0 then return left end
local time=redis.call('time')
return time[1]*1000+math.floor(time[2]/1000)+left`;

/** The id of the master of a key. */
const MASTER = "return redis.call('cluster','myid')";

/**
 * Yields all keys of a filter: first the lists that say that it was made, last the parameters. What is added meanwhile
 * may be missing.
 *
 * @throws Error if the filter is not whole, or is being replaced; in the end, if that was so meanwhile
 */
export async function* save(client: RedisClient, name: string): AsyncGenerator<SavedKey, void, undefined> {
  const adapter = adapterOf(client);
  const send = (key: string, ...command: string[]): Promise<unknown> =>
    adapter.send(key, command, { readOnly: false, binary: false });
  const look = async (): Promise<RedisFilterReport> => {
    const report = await RedisBloomFilter.check(client, name, { orphans: false });
    const [problem] = report.problems;
    if (report.status === 'critical') throw new Error(`"${name}" cannot be saved: ${problem?.message}`);
    // Restored, what the lists have of another filter would look as if a part of that were lost.
    const isAlone = report.parameters !== null && report.lists.every(({ others }) => others.length === 0);
    if (!isAlone) throw new Error(`"${name}" cannot be saved while the lists have another filter: repair it, or wait`);
    return report;
  };
  const dumpOf = async (key: string): Promise<SavedKey | undefined> => {
    const dump = await adapter.send(key, ['dump', key], { readOnly: false, binary: true });
    const expires = Number(await send(key, 'eval', EXPIRES, '1', key));
    // It may also have expired since.
    if (!(dump instanceof Uint8Array) || expires === -2) return undefined;
    return { key, dump: Buffer.from(dump).toString('base64'), expires: Math.max(expires, 0) };
  };
  const last = await dumpOf(name);
  const text = await send(name, 'get', name);
  // Before the pieces are looked for: what the lists say is made has all of its pieces.
  const saved = new Map<string, SavedKey>();
  for (const { key } of (await look()).lists) {
    const list = await dumpOf(key);
    if (list) saved.set(key, list);
  }
  const { lists, bodies, parameters } = await look();
  if (bodies.length > 0 && lists.some(({ key, isRight }) => isRight && !saved.has(key)))
    throw new Error(`"${name}" was first used meanwhile: save it again`);
  yield* saved.values();
  // Pieces of later generations would be restored without a list that has them.
  const wanted = new Set(bodies.map(({ generation }) => generation?.toString()));
  const keys = new Set<string>();
  const ofPiece = new RegExp(`:${parameters?.id}:(?:(\\d+):)?\\d+$`);
  const masters = new Map<unknown, string>();
  // Each piece is in the slot of a list.
  for (const { key } of lists) masters.set(adapter.cluster && (await send(key, 'eval', MASTER, '1', key)), key);
  for (const list of masters.values()) {
    let cursor = '0';
    do {
      const [next = '0', ...found] = (await send(list, 'eval', SCAN, '1', list, cursor, `${name}:{`)) as string[];
      // Neither notes and pieces of filters that are being made, nor answers that Redis remembers for some seconds.
      for (const key of found) if (wanted.has(ofPiece.exec(key)?.[1]) && ofPiece.test(key)) keys.add(key);
      cursor = next;
    } while (cursor !== '0');
  }
  let count = saved.size + 1;
  /** The number of pieces that were saved, by generation. */
  const pieces = new Map<string | undefined, number>();
  for (const key of keys) {
    const piece = await dumpOf(key);
    if (piece === undefined) continue;
    yield piece;
    count++;
    const [, generation] = ofPiece.exec(key) ?? [];
    pieces.set(generation, (pieces.get(generation) ?? 0) + 1);
  }
  if (last === undefined || (await send(name, 'get', name)) !== text)
    throw new Error(`"${name}" was replaced meanwhile: save it again`);
  const now = await look();
  for (const { generation, pieces: wanted } of bodies) {
    // A generation of a filter that forgets may have expired meanwhile.
    if (!now.bodies.some((body) => body.generation === generation)) continue;
    const got = pieces.get(generation?.toString()) ?? 0;
    if (got !== wanted) throw new Error(`of "${name}", ${got} of ${wanted} pieces were found: save it again`);
  }
  yield { ...last, count };
}

/** The milliseconds after which what was restored on trial expires. */
const TRIAL = '60000';

/**
 * Restores a filter, in place of one of the same name that is there. Until it is whole, calls reject with LOST: the
 * lists come first, so that no client makes a new filter or a new generation. Meanwhile, no process may open the filter
 * with a capacity: before the first list is there, it would make another one.
 *
 * @param read returns what `save` has yielded, in the same order, each as JSON. It is read twice: nothing is deleted
 *   before the server has taken all of it on trial
 * @throws Error if it is not a whole backup of a filter of this name; if another one was made meanwhile, which is kept
 */
export async function restore(
  client: RedisClient,
  name: string,
  read: () => AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const { send } = adapterOf(client);
  const run = (key: string, ...command: Argument[]): Promise<unknown> =>
    send(key, command, { readOnly: false, binary: false });
  const idOf = async (key: string): Promise<unknown> => JSON.parse(String(await run(key, 'get', key)))?.id;
  let seen = 0;
  let id: unknown;
  for await (const line of read()) {
    const { key, dump, count } = JSON.parse(line) as SavedKey;
    if (key !== name && !key.startsWith(`${name}:{`)) throw new Error(`this is no backup of "${name}": it has ${key}`);
    seen++;
    // In the slot of the key, and under one name for all of that slot, so that it takes little memory.
    const trial = `${key === name ? `${name}:{${name}}` : key.slice(0, key.indexOf('}') + 1)}:trial`;
    await run(trial, 'restore', trial, TRIAL, Buffer.from(dump, 'base64'), 'replace');
    id = key === name && count === seen ? await idOf(trial) : undefined;
    await run(trial, 'unlink', trial);
  }
  if (id === undefined) throw new Error(`this backup of "${name}" is not whole`);
  await RedisBloomFilter.delete(client, name);
  for await (const line of read()) {
    const { key, dump, expires } = JSON.parse(line) as SavedKey;
    const restoring = ['restore', key, String(expires), Buffer.from(dump, 'base64'), 'absttl'];
    const isPiece = key !== name && !key.endsWith(':filters');
    // Pieces may be left where the lists were lost.
    if (isPiece) await run(key, ...restoring, 'replace');
    else
      await run(key, ...restoring).catch(async (cause) => {
        if (!/^BUSYKEY/.test(String(cause.message))) throw cause;
        // A client that opens the filter finds it again once all pieces are there.
        if (key === name && (await idOf(name)) === id) return;
        const reason = `another filter "${name}" was made meanwhile, or is left`;
        throw new Error(`${reason}: delete it, and restore again (${key} is there)`, { cause });
      });
  }
}
