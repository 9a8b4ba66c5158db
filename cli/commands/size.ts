import { errorRateOption, jsonOption, maxValueOption, requiredCapacityOption, USUAL_VALUE } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError } from '../errors.ts';
import { type BuildableClass, buildableClasses, sizeOf, type Wanted } from '../filters/kinds.ts';
import { write, writeJson } from '../filters/output.ts';
import { byteSize, integer } from '../numbers.ts';

interface Size {
  readonly kind: string;
  readonly bitsPerKey: number;
  readonly hashes: number;
  /** The size of all filters together. */
  readonly bytes: number;
  /** How many filters the keys must be divided among, because one filter cannot be that large. */
  readonly filters: number;
}

/** A kind that cannot have this error rate. */
interface Refusal {
  readonly kind: string;
  readonly refused: string;
}

/** The most filters to divide keys among. */
const MAX_FILTERS = 2 ** 20;

function sizeAmong(Class: BuildableClass, wanted: Wanted, filters = 1): Size | Refusal {
  const { kind } = Class;
  const { capacity } = wanted;
  try {
    const each = { ...wanted, capacity: Math.ceil(capacity / filters) };
    const { cellCount, cellBits, hashes, byteLength } = sizeOf(Class, each);
    return {
      kind,
      bitsPerKey: (filters * cellCount * cellBits) / capacity,
      hashes,
      bytes: filters * byteLength,
      filters,
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // Too large, if half the size is accepted.
    const halved = filters < MAX_FILTERS ? sizeAmong(Class, wanted, 2 * filters) : undefined;
    return halved && !('refused' in halved) ? halved : { kind, refused: error.message };
  }
}

/** Formats rows of cells as columns: the first one left-aligned, the others right-aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const pad = (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => `${row.map(pad).join('  ')}\n`).join('');
}

function show(sizes: readonly (Size | Refusal)[], hint: string): string {
  const rows = sizes.map((size) =>
    'refused' in size
      ? [size.kind, '-', '-', '-', '-']
      : [size.kind, size.bitsPerKey.toFixed(1), String(size.hashes), byteSize(size.bytes), integer(size.filters)],
  );
  const isDivided = sizes.some((size) => 'filters' in size && size.filters > 1);
  const columns = isDivided ? 5 : 4;
  const cells = [['kind', 'bits per key', 'hashes', 'size', 'filters'], ...rows].map((row) =>
    row.filter((_, column) => column < columns),
  );
  const refusals = sizes.map((size) => ('refused' in size ? `${size.kind}: ${size.refused}\n` : ''));
  const note = isDivided ? 'Where one filter cannot be that large, divide the keys among several, by a hash.\n' : '';
  return table(cells) + refusals.join('') + hint + note;
}

export const sizeCommand = command({
  name: 'size',
  summary: 'show how large filters would be',
  description: 'Shows how large a filter of each kind would be.',
  operands: [],
  options: {
    capacity: requiredCapacityOption('the number of distinct keys'),
    'error-rate': errorRateOption('the share of absent keys that may look present', 0.01),
    'max-value': maxValueOption,
    json: jsonOption,
  },
  examples: [
    'bloomery size --capacity 1e9',
    'bloomery size --capacity 4.5M --error-rate 0.01% --json',
    'bloomery size --capacity 1M --max-value 40',
  ],
  async action(_operands, { capacity, 'error-rate': errorRate, 'max-value': largest, json }) {
    const maxValue = largest ?? USUAL_VALUE;
    const sizes = buildableClasses.map((Class) => sizeAmong(Class, { capacity, errorRate, largest: maxValue }));
    if (sizes.every((size) => 'refused' in size)) process.exitCode = 2;
    if (json) await writeJson({ capacity, errorRate, maxValue, kinds: sizes });
    const hint = `The values of a fuse-map are up to ${maxValue} here: --max-value sets another.\n`;
    if (!json) await write(show(sizes, largest === undefined ? hint : ''));
  },
});
