import { byteSize, integer, plural, rate } from './figures.ts';
import { type Loaded, loadFilter } from './filter-file.ts';
import { filterOperand, jsonOption } from './options.ts';
import { write } from './output.ts';
import { command } from './parse.ts';

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
  const { filter, isZipped } = loaded;
  const exact = fileBytes < 1000 ? '' : ` (${integer(fileBytes)} bytes)`;
  const facts: [string, string][] = [
    ['kind', filter.kind],
    ['made for', `${plural(capacity, 'key')}, error rate ${rate(errorRate)}`],
    [filter.cellName, integer(filter.cellCount)],
    ['hashes', String(filter.hashes)],
    ['seed', String(filter.seed)],
    ['fill ratio', rate(fillRatio)],
    ['keys', estimatedCount === null ? 'more than can be estimated' : `about ${integer(estimatedCount)}`],
    ['error rate now', `about ${rate(estimatedErrorRate)}`],
    ['file', `${byteSize(fileBytes)}${exact}${isZipped ? ', compressed' : ''}`],
  ];
  return facts.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`).join('');
}

export const infoCommand = command({
  name: 'info',
  summary: "show a filter's parameters, and how full it is",
  description: "Shows a filter's parameters, and how full it is. The whole file is read and checked.",
  operands: [filterOperand],
  options: { json: jsonOption },
  examples: ['bloomery info names.bloom', 'bloomery info names.bloom --json | jq .fillRatio'],
  async action([name = ''], { json }) {
    const loaded = await loadFilter(name);
    await write(json ? `${JSON.stringify(describe(loaded), null, 2)}\n` : show(loaded));
  },
});
