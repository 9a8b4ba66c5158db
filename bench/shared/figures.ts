// Medians and spreads, how they are printed, and tables of them. Uses nothing of Node, so it also runs in browsers.

/** The median, the lowest and the highest of some numbers. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The middle number, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The number below which a share of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), lowest: Math.min(...numbers), highest: Math.max(...numbers) };
}

/**
 * What each of several contenders takes, by their times in the same rounds. A time counts as a ratio to its round, the
 * geometric mean of all contenders in it, so that a slow spell of the machine, which hits all, cancels out. The ratios are
 * given in the unit of the times, by the median round. Of two figures, that with the higher median is the slower one.
 *
 * @param times of each contender, those of each round
 */
export function figuresOf(times: readonly (readonly number[])[]): Spread[] {
  const [{ length } = { length: 0 }] = times;
  if (times.some((each) => each.length !== length)) throw new RangeError('contenders differ in their rounds');
  const rounds = Array.from({ length }, (_, round) => {
    const sum = times.reduce((all, each) => all + Math.log(each[round] as number), 0);
    return Math.exp(sum / times.length);
  });
  const typical = median(rounds);
  return times.map((each) => spreadOf(each.map((time, round) => (typical * time) / (rounds[round] as number))));
}

/**
 * How many times as long `other` takes as `one`; above 1, `one` is faster. Ratios are taken within each round, so that
 * a slow spell of the machine, which hits both, cancels out.
 */
export function ratioOf(one: readonly number[], other: readonly number[]): Spread {
  if (one.length !== other.length) throw new RangeError(`${one.length} rounds cannot be compared with ${other.length}`);
  return spreadOf(one.map((time, round) => (other[round] as number) / time));
}

/** How many flags are set. */
export function sumOf(flags: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < flags.length; i++) sum += flags[i] as number;
  return sum;
}

export const integer: Intl.NumberFormat = new Intl.NumberFormat('en');

export const threeDigits: Intl.NumberFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function nanoseconds(time: number): string {
  return time < 10 ? time.toFixed(1) : time.toFixed(0);
}

export function times(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1);
}

/** A share in percent with three decimals: 0.992. */
export function percent(share: number): string {
  return (100 * share).toFixed(3);
}

/** A share in percent with at most three digits: 0.0001. */
export function shortPercent(share: number): string {
  return String(Number((100 * share).toPrecision(3)));
}

/** From the lowest to the highest: 1.2–1.5. */
export function extentOf(
  { lowest, highest }: Pick<Spread, 'lowest' | 'highest'>,
  show: (value: number) => string,
): string {
  return `${show(lowest)}–${show(highest)}`;
}

/** Two cells: the median, and the extent. */
export function cellsOf(spread: Spread, show: (value: number) => string): [median: string, extent: string] {
  return [show(spread.median), extentOf(spread, show)];
}

export function bitsPerKey({ bytes, keys }: { readonly bytes: number; readonly keys: number }): string {
  return ((8 * bytes) / keys).toFixed(1);
}

/**
 * A Markdown table, padded so that it is readable in a terminal.
 *
 * @param texts the names of the columns that are aligned to the left: the first one if left out
 */
export function tableOf(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  texts: readonly string[] = header.slice(0, 1),
): string {
  const isText = header.map((name) => texts.includes(name));
  const widths = header.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number): string =>
    isText[column] ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]): string => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => (isText[column] ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
