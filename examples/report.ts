// How the examples print what they measured, and how they fail.

/** With less, the numbers would say little. */
const SMALLEST = 1000;

const numbers = new Intl.NumberFormat('en');

export function integer(value: number): string {
  return numbers.format(value);
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

export function size(bytes: number): string {
  return bytes < 10_000 ? `${integer(Math.round(bytes))} B` : `${integer(Math.round(bytes / 1000))} KB`;
}

export function heading(text: string): void {
  console.log(`\n${text}`);
}

/** A line of the report: what was counted, how much, and a word on it. */
export function row(label: string, value: string, note = ''): void {
  console.log(`  ${label.padEnd(38)}${value.padStart(12)}  ${note}`.trimEnd());
}

/** What must hold in every run: if it does not, the example says so and exits with 1. */
export function must(holds: boolean, claim: string): void {
  if (holds) return;
  console.error(`\nThis does not hold: ${claim}`);
  process.exitCode = 1;
}

/** The size of the run: the only argument, a whole number from SMALLEST on, or `standard`. Anything else ends with 2. */
export function sizeArgument(what: string, standard: number): number {
  const [text = String(standard), ...others] = process.argv.slice(2);
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= SMALLEST && others.length === 0) return count;
  console.error(
    `The only argument is the number of ${what}: a whole number from ${SMALLEST} on (${standard} unless given).`,
  );
  process.exit(2);
}
