// Backs a filter up, of either class, and restores it to the same or another server or cluster, by DUMP and RESTORE.
//
//   const file = await open('seen.backup', 'w');
//   for await (const saved of save(client, 'seen')) await file.write(`${JSON.stringify(saved)}\n`);
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
    const left = Number(await send(key, 'pttl', key));
    if (!(dump instanceof Uint8Array)) return undefined;
    return { key, dump: Buffer.from(dump).toString('base64'), expires: left < 0 ? 0 : Date.now() + left };
  };
  const { lists, bodies, parameters } = await look();
  const last = await dumpOf(name);
  const text = await send(name, 'get', name);
  const keys = new Set(lists.map(({ key }) => key));
  const ofPiece = new RegExp(`:${parameters?.id}:(?:(\\d+):)?\\d+$`);
  // Each piece is in the slot of a list.
  for (const list of new Map(lists.map(({ key }) => [adapter.master(key), key])).values()) {
    let cursor = '0';
    do {
      const [next = '0', ...found] = (await send(list, 'eval', SCAN, '1', list, cursor, `${name}:{`)) as string[];
      // Neither notes and pieces of filters that are being made, nor answers that Redis remembers for some seconds.
      for (const key of found) if (ofPiece.test(key)) keys.add(key);
      cursor = next;
    } while (cursor !== '0');
  }
  let count = 1;
  /** The number of pieces that were saved, by generation. */
  const pieces = new Map<string | undefined, number>();
  for (const key of keys) {
    const saved = await dumpOf(key);
    if (saved === undefined) continue;
    yield saved;
    count++;
    const [isPiece, generation] = ofPiece.exec(key) ?? [];
    if (isPiece) pieces.set(generation, (pieces.get(generation) ?? 0) + 1);
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

/**
 * Restores a filter, in place of one of the same name that is there. Until it is whole, calls reject with LOST: the
 * lists come first, so that no client makes a new filter or a new generation.
 *
 * @param read returns what `save` has yielded, in the same order, each as JSON. It is read twice: nothing is deleted
 *   before all of it was seen
 * @throws Error if it is not a whole backup of a filter of this name
 */
export async function restore(
  client: RedisClient,
  name: string,
  read: () => AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const adapter = adapterOf(client);
  let seen = 0;
  let isWhole = false;
  for await (const line of read()) {
    const { key, count } = JSON.parse(line) as SavedKey;
    if (key !== name && !key.startsWith(`${name}:{`)) throw new Error(`this is no backup of "${name}": it has ${key}`);
    seen++;
    isWhole = key === name && count === seen;
  }
  if (!isWhole) throw new Error(`this backup of "${name}" is not whole`);
  await RedisBloomFilter.delete(client, name);
  for await (const line of read()) {
    const { key, dump, expires } = JSON.parse(line) as SavedKey;
    if (expires !== 0 && expires <= Date.now()) continue;
    const command: Argument[] = ['restore', key, String(expires), Buffer.from(dump, 'base64'), 'replace', 'absttl'];
    await adapter.send(key, command, { readOnly: false, binary: false });
  }
}
