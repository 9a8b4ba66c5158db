import { flag } from '../args/command.ts';
import { filterOutputOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { filterWriter, reportSaved } from '../filters/filter-file.ts';
import { serverOptions } from './address.ts';
import { readModuleFilter } from './module.ts';
import { withRedis } from './server.ts';
import { nameOperand, openFilter, READING } from './shared.ts';

export const redisPullCommand = command({
  name: 'redis pull',
  summary: 'save a filter of Redis as a file',
  description:
    'Saves a filter of Redis or Valkey as a filter file, for all other commands. Keys that are added meanwhile may be ' +
    'missing. For a filter that forgets, saves the windows that are known, and the file forgets them when Redis does.\n' +
    'With --module, the filter is one of the module RedisBloom, and the file has its format: the commands that read it ' +
    'need --format redisbloom. Nothing may add keys meanwhile.',
  operands: [nameOperand],
  options: {
    output: filterOutputOption,
    module: flag('the filter is one of the module RedisBloom, made by BF.RESERVE or BF.ADD'),
    ...serverOptions,
  },
  examples: [
    'bloomery redis pull seen -o seen.bloom',
    'bloomery redis pull --module taken -o taken.dump',
    'REDIS_URL=rediss://ada:secret@cache bloomery redis pull seen -o seen.bloom',
  ],
  async action([name = ''], { output, module, ...server }) {
    const writeFilter = await filterWriter(output);
    await withRedis(server, async (client) => {
      const filter = module
        ? await readModuleFilter(client, name)
        : await (await openFilter(client, name, READING)).toLocal();
      await writeFilter(filter);
      reportSaved(filter, output);
    });
  },
});
