import { Command } from 'commander';
import { byteSize, integer, rate } from './figures.ts';
import { type Loaded, loadFile } from './filter-file.ts';
import { examples, jsonOption } from './options.ts';
import { write } from './output.ts';

const NAME_WIDTH = 16;

function describe({ filter, bytes }: Loaded) {
  const { kind, capacity, errorRate, cellName, cellCount, hashes, seed } = filter;
  const estimatedCount = filter.estimateCount();
  return {
    kind,
    capacity,
    errorRate,
    [cellName]: cellCount,
    hashes,
    seed,
    fillRatio: filter.fillRatio(),
    estimatedCount: Number.isFinite(estimatedCount) ? Math.round(estimatedCount) : null,
    estimatedErrorRate: filter.estimateErrorRate(),
    fileBytes: bytes,
  };
}

function show(loaded: Loaded): string {
  const { capacity, errorRate, fillRatio, estimatedCount, estimatedErrorRate, fileBytes } = describe(loaded);
  const { filter } = loaded;
  const facts: [string, string][] = [
    ['kind', filter.kind],
    ['made for', `${integer(capacity)} keys, error rate ${rate(errorRate)}`],
    [filter.cellName, integer(filter.cellCount)],
    ['hashes', String(filter.hashes)],
    ['seed', String(filter.seed)],
    ['fill ratio', rate(fillRatio)],
    ['keys', estimatedCount === null ? 'more than can be estimated' : `about ${integer(estimatedCount)}`],
    ['error rate now', `about ${rate(estimatedErrorRate)}`],
    ['file', `${byteSize(fileBytes)} (${integer(fileBytes)} bytes)`],
  ];
  return facts.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`).join('');
}

export function infoCommand(): Command {
  return new Command('info')
    .summary('tell what a filter is made of, and how full it is')
    .description('Tells what a filter is made of, and how full it is. The whole file is read and checked.')
    .argument('<filter>', 'a filter file, made by bloomery build; - is stdin')
    .addOption(jsonOption())
    .addHelpText('after', examples('bloomery info names.bloom', 'bloomery info names.bloom --json | jq .fillRatio'))
    .action(async (name: string, { json }: { json: boolean }) => {
      const loaded = await loadFile(name);
      await write(json ? `${JSON.stringify(describe(loaded), null, 2)}\n` : show(loaded));
    });
}
