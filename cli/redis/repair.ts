import { flag } from '../args/command.ts';
import { command } from '../args/parse.ts';
import { write } from '../filters/output.ts';
import { serverOptions } from './address.ts';
import { EXIT_CODES, reportText } from './check.ts';
import { withRedis } from './server.ts';
import { nameOperand } from './shared.ts';

export const redisRepairCommand = command({
  name: 'redis repair',
  summary: 'repair a filter in Redis, as far as no key is at risk',
  description:
    'Finishes a filter in Redis or Valkey that a client has left half made, and restores lost parameters and lists if ' +
    'all else is there. If the filter is whole, deletes what dead clients have left, and pieces that no filter has. ' +
    'Prints each step before it is done. Leaves alone what is lost or in doubt. At the end, checks the filter; the exit ' +
    'code is that of redis check.',
  operands: [nameOperand],
  options: { 'dry-run': flag('only say what would be done'), ...serverOptions },
  examples: ['bloomery redis repair seen --dry-run', 'bloomery redis repair seen'],
  async action([name = ''], { 'dry-run': dryRun, ...server }) {
    const { RedisBloomFilter } = await import('bloomery/redis');
    await withRedis(server, async (client) => {
      const onStep = ({ message }: { readonly message: string }): void => {
        process.stdout.write(`${dryRun ? 'would ' : ''}${message}\n`);
      };
      const steps = await RedisBloomFilter.repair(client, name, { dryRun, onStep });
      const report = await RedisBloomFilter.check(client, name);
      const isWell = report.status === 'ok';
      const nothing = isWell ? 'there is nothing to repair\n' : 'nothing can be repaired\n';
      await write(`${steps.length === 0 ? nothing : ''}\n${reportText(report)}`);
      process.exitCode = EXIT_CODES[report.status];
    });
  },
});
