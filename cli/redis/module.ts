// Filters of the module RedisBloom, as BF.SCANDUMP gives them.

import type { RedisClient } from 'bloomery/redis';
import { RedisBloomDump, type ScanDumpReply } from 'bloomery/redisbloom';
import { CommandError, quote } from '../errors.ts';

/** Yields the replies of BF.SCANDUMP. Nothing may add keys meanwhile: the chunks would not fit together. */
async function* repliesOf(client: RedisClient, name: string): AsyncGenerator<ScanDumpReply, void, undefined> {
  const { adapterOf } = await import('bloomery/redis');
  const adapter = adapterOf(client);
  let iterator = 0;
  do {
    const command = ['bf.scandump', name, String(iterator)];
    const reply = (await adapter.send(name, command, { readOnly: false, binary: true })) as [unknown, Uint8Array];
    iterator = Number(reply[0]);
    if (iterator !== 0) yield [iterator, reply[1]];
  } while (iterator !== 0);
}

/**
 * Reads a filter of the module RedisBloom.
 *
 * @throws CommandError if there is no such filter, or if the server does not have the module
 */
export async function readModuleFilter(client: RedisClient, name: string): Promise<RedisBloomDump> {
  try {
    return await RedisBloomDump.fromChunks(repliesOf(client, name));
  } catch (error) {
    const { message } = error as Error;
    const because = (reason: string): CommandError => new CommandError(reason, { cause: error });
    if (/^ERR unknown command/i.test(message)) throw because('this server does not have the module RedisBloom');
    if (/^(?:ERR not found|WRONGTYPE)/.test(message))
      throw because(`${quote(name)} is not a filter of the module RedisBloom`);
    throw error;
  }
}
