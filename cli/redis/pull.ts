import { filterOutputOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { filterWriter, reportSaved } from '../filters/filter-file.ts';
import { serverOptions } from './address.ts';
import { withRedis } from './server.ts';
import { nameOperand, openFilter, READING } from './shared.ts';

export const redisPullCommand = command({
  name: 'redis pull',
  summary: 'save a filter of Redis as a file',
  description:
    'Saves a filter of Redis or Valkey as a filter file, for all other commands. Keys that are added meanwhile may be ' +
    'missing.',
  operands: [nameOperand],
  options: { output: filterOutputOption, ...serverOptions },
  examples: [
    'bloomery redis pull seen -o seen.bloom',
    'REDIS_URL=rediss://reader:secret@cache.example.com bloomery redis pull seen -o - | bloomery pick - urls.txt',
  ],
  async action([name = ''], { output, ...server }) {
    const writeFilter = await filterWriter(output);
    await withRedis(server, async (client) => {
      const filter = await (await openFilter(client, name, READING)).toLocal();
      await writeFilter(filter);
      reportSaved(filter, output);
    });
  },
});
