import { command } from '../args/parse.ts';
import { CommandError, quote } from '../errors.ts';
import { write } from '../filters/output.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';
import { nameOperand } from './shared.ts';

export const redisDeleteCommand = command({
  name: 'redis delete',
  summary: 'delete a filter from Redis',
  description:
    'Deletes a filter from Redis or Valkey, even if it forgets, is damaged or lost in part, or was left half made by a ' +
    'client. Programs that use it then get an error.',
  operands: [nameOperand],
  options: serverOptions,
  examples: ['bloomery redis delete seen', 'bloomery redis delete seen --cluster --url redis://10.0.0.1:7000'],
  async action([name = ''], server) {
    const { RedisBloomFilter } = await import('bloomery/redis');
    await withRedis(server, async (client) => {
      if (!(await RedisBloomFilter.delete(client, name))) throw new CommandError(`there is no filter ${quote(name)}`);
      await write(`deleted ${quote(name)}\n`);
    });
  },
});
