import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { CommandError, cannot, quote, say } from './errors.ts';
import { integer, rate } from './figures.ts';
import { rawChunks } from './input.ts';
import { write } from './output.ts';
import { peek } from './peek.ts';
import { findTarget, save } from './save.ts';

/** The kinds by the names that they go by on the command line. */
export const kinds = { classic: BloomFilter, blocked: BlockedBloomFilter, counting: CountingBloomFilter } as const;
export type Kind = keyof typeof kinds;
export type AnyFilter = InstanceType<(typeof kinds)[Kind]>;

/** How a file begins, and where it says of which kind it is; see docs/format.md. */
const MAGIC = 'BLMY';
const KIND_AT = 5;
const classesByNumber = [undefined, BloomFilter, BlockedBloomFilter, CountingBloomFilter];

/**
 * Loads a filter of any kind, piece by piece.
 *
 * @throws CommandError if there is no such file, or no undamaged filter in it
 */
export async function loadFilter(name: string): Promise<AnyFilter> {
  const { head, chunks } = await peek(rawChunks(name), KIND_AT + 1);
  if (Buffer.from(head.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
    throw new CommandError(`${quote(name)} is no filter: bloomery build makes one of a text`);
  }
  // Of a filter that is of no known kind, any class can say what is wrong.
  const Filter = classesByNumber[head[KIND_AT] ?? 0] ?? BloomFilter;
  try {
    return await Filter.fromChunks(chunks);
  } catch (error) {
    throw error instanceof CommandError ? error : cannot('load', name, error);
  }
}

/**
 * Finds out where a filter is to be written, and returns what writes it. `-` is stdout.
 *
 * @throws CommandError if nothing can be written there
 */
export async function filterWriter(name: string): Promise<(filter: AnyFilter) => Promise<void>> {
  if (name === '-') {
    if (process.stdout.isTTY) throw new CommandError('a filter is not written to a terminal: choose a file with -o');
    return async (filter) => {
      for (const chunk of filter.toChunks()) await write(chunk);
    };
  }
  const target = await findTarget(name);
  return (filter) => save(target, filter.toChunks());
}

/** The number of cells, and what they are called. */
export function cellsOf(filter: AnyFilter): { name: 'bits' | 'counters'; count: number } {
  if (filter.kind === 'counting') return { name: 'counters', count: filter.counters };
  return { name: 'bits', count: filter.bits };
}

/** How far the estimate may pass the capacity by chance: it varies by about √n for small filters. */
function isOverfull(estimate: number, capacity: number): boolean {
  return estimate > 1.05 * capacity + 2 * Math.sqrt(capacity);
}

/** Warns in one line if there are more keys in a filter than it was made for. */
export function warnIfOverfull(filter: AnyFilter): void {
  const { capacity, errorRate } = filter;
  const estimate = filter.estimateCount();
  // A filter for one key has the least size that there is, and room for more.
  if (!isOverfull(estimate, capacity) || filter.estimateErrorRate() <= errorRate) return;
  const keys = Number.isFinite(estimate) ? `about ${integer(estimate)} keys are` : 'far more keys are';
  say(
    `warning: ${keys} in a filter for ${integer(capacity)}: the error rate is ${rate(filter.estimateErrorRate())}, not ${rate(errorRate)}`,
  );
}
