import { Command } from 'commander';
import { byteSize, integer, rate } from './figures.ts';
import { type AnyFilter, cellsOf, loadFilter } from './filter-file.ts';
import { examples, jsonOption } from './options.ts';
import { write } from './output.ts';

/** What precedes the cells in a file. */
const HEADER_BYTES = 64;
const NAME_WIDTH = 16;

function describe(filter: AnyFilter) {
  const { kind, capacity, errorRate, hashes, seed, byteLength } = filter;
  const cells = cellsOf(filter);
  const estimatedCount = filter.estimateCount();
  return {
    kind,
    capacity,
    errorRate,
    [cells.name]: cells.count,
    hashes,
    seed,
    fillRatio: filter.fillRatio(),
    estimatedCount: Number.isFinite(estimatedCount) ? Math.round(estimatedCount) : null,
    estimatedErrorRate: filter.estimateErrorRate(),
    fileBytes: HEADER_BYTES + byteLength,
  };
}

function show(filter: AnyFilter): string {
  const { capacity, errorRate, fillRatio, estimatedCount, estimatedErrorRate, fileBytes } = describe(filter);
  const cells = cellsOf(filter);
  const facts: [string, string][] = [
    ['kind', filter.kind],
    ['made for', `${integer(capacity)} keys, error rate ${rate(errorRate)}`],
    [cells.name, integer(cells.count)],
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
    .argument('<filter>', 'a file that bloomery build made; - is stdin')
    .addOption(jsonOption())
    .addHelpText('after', examples('bloomery info names.bloom', 'bloomery info names.bloom --json | jq .fillRatio'))
    .action(async (name: string, { json }: { json: boolean }) => {
      const filter = await loadFilter(name);
      await write(json ? `${JSON.stringify(describe(filter), null, 2)}\n` : show(filter));
    });
}
