import { Command } from 'commander';
import { byteSize, table } from './figures.ts';
import { classes } from './kinds.ts';
import { capacityOption, errorRateOption, examples, jsonOption } from './options.ts';
import { write } from './output.ts';

interface Size {
  readonly kind: string;
  readonly bitsPerKey: number;
  readonly hashes: number;
  readonly bytes: number;
}

/** A kind that cannot have this capacity or error rate. */
interface Refusal {
  readonly kind: string;
  readonly refused: string;
}

interface Options {
  readonly capacity: number;
  readonly errorRate: number;
  readonly json: boolean;
}

/** Makes a filter to read its size. That is cheap: the system provides memory only where it is written. */
function sizeOf(Class: (typeof classes)[number], capacity: number, errorRate: number): Size | Refusal {
  const { kind } = Class;
  try {
    const filter = new Class({ capacity, errorRate });
    const { cellCount, cellBits, hashes, byteLength } = filter;
    filter.dispose();
    return { kind, bitsPerKey: (cellCount * cellBits) / capacity, hashes, bytes: byteLength };
  } catch (error) {
    if (error instanceof RangeError) return { kind, refused: error.message };
    throw error;
  }
}

function show(sizes: readonly (Size | Refusal)[]): string {
  const rows = sizes.map((size) =>
    'refused' in size
      ? [size.kind, '-', '-', '-']
      : [size.kind, size.bitsPerKey.toFixed(1), String(size.hashes), byteSize(size.bytes)],
  );
  const refusals = sizes.map((size) => ('refused' in size ? `${size.kind}: ${size.refused}\n` : ''));
  return table([['kind', 'bits per key', 'hashes', 'size'], ...rows]) + refusals.join('');
}

export function sizeCommand(): Command {
  return new Command('size')
    .summary('tell how large filters would be')
    .description('Tells how large a filter of each kind would be.')
    .addOption(capacityOption('the number of distinct keys').makeOptionMandatory())
    .addOption(errorRateOption('the share of absent keys that may look present', 0.01))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('bloomery size --capacity 1e9', 'bloomery size --capacity 4500000 --error-rate 1e-4 --json'),
    )
    .action(async ({ capacity, errorRate, json }: Options) => {
      const sizes = classes.map((Class) => sizeOf(Class, capacity, errorRate));
      await write(json ? `${JSON.stringify({ capacity, errorRate, kinds: sizes }, null, 2)}\n` : show(sizes));
    });
}
