// Backs a filter up, of either class, and restores it to the same or another server or cluster, by DUMP and RESTORE.
//
//   const file = await open('seen.backup', 'w');
//   for await (const saved of save(client, 'seen')) await file.write(`${JSON.stringify(saved)}\n`);
//
//   const lines = (await open('seen.backup')).readLines();
//   await restore(client, 'seen', lines);

import { type Argument, adapterOf, RedisBloomFilter, type RedisClient } from 'bloomery/redis';

/** A key of a filter. */
export interface SavedKey {
  readonly key: string;
  /** What DUMP has replied, in Base64. */
  readonly dump: string;
  /** When it expires, in milliseconds since 1970; 0 if it does not. */
  readonly expires: number;
}

/** Visits some keys, and returns those of them that begin with ARGV[2]. The first one is where to go on. */
const SCAN = `local reply=redis.call('scan',ARGV[1],'count',500)
local found={reply[1]}
for _,key in ipairs(reply[2]) do if key:sub(1,#ARGV[2])==ARGV[2] then found[#found+1]=key end end
return found`;

/**
 * Yields all keys of a filter, first the lists that say that it was made. What is added meanwhile may be missing.
 *
 * @throws Error if the filter is not whole, or, in the end, if it was cleared or replaced meanwhile
 */
export async function* save(client: RedisClient, name: string): AsyncGenerator<SavedKey, void, undefined> {
  const adapter = adapterOf(client);
  const send = (key: string, ...command: string[]): Promise<unknown> =>
    adapter.send(key, command, { readOnly: false, binary: false });
  const { status, problems, lists } = await RedisBloomFilter.check(client, name, { orphans: false });
  if (status === 'critical') throw new Error(`"${name}" cannot be saved: ${problems[0]?.message}`);
  const parameters = await send(name, 'get', name);
  const keys = new Set([...lists.map(({ key }) => key), name]);
  // Each piece is in the slot of a list.
  for (const list of new Map(lists.map(({ key }) => [adapter.master(key), key])).values()) {
    let cursor = '0';
    do {
      const [next = '0', ...found] = (await send(list, 'eval', SCAN, '1', list, cursor, `${name}:{`)) as string[];
      // Neither notes about filters that are being made, nor answers that Redis remembers for some seconds.
      for (const key of found) if (/:[0-9a-f]{16}:(?:\d+:)?\d+$/.test(key)) keys.add(key);
      cursor = next;
    } while (cursor !== '0');
  }
  for (const key of keys) {
    const dump = await adapter.send(key, ['dump', key], { readOnly: false, binary: true });
    const left = Number(await send(key, 'pttl', key));
    // A generation of a filter that forgets may have expired.
    if (!(dump instanceof Uint8Array)) continue;
    yield { key, dump: Buffer.from(dump).toString('base64'), expires: left < 0 ? 0 : Date.now() + left };
  }
  if ((await send(name, 'get', name)) !== parameters)
    throw new Error(`"${name}" was replaced meanwhile: save it again`);
}

/**
 * Restores a filter, in place of one of the same name that is there. Until it is whole, calls reject with LOST: the
 * lists come first, so that no client makes a new filter or a new generation.
 *
 * @param lines what `save` has yielded, in the same order, each as JSON
 */
export async function restore(
  client: RedisClient,
  name: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const adapter = adapterOf(client);
  await RedisBloomFilter.delete(client, name);
  for await (const line of lines) {
    const { key, dump, expires } = JSON.parse(line) as SavedKey;
    if (expires !== 0 && expires <= Date.now()) continue;
    const command: Argument[] = ['restore', key, String(expires), Buffer.from(dump, 'base64'), 'replace', 'absttl'];
    await adapter.send(key, command, { readOnly: false, binary: false });
  }
}
