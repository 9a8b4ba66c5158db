// Prints the measurements of the examples, and reports failures.

/** The smallest size of a run: with less, the numbers would say little. */
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

/** Prints a line of the report: a label, a value and a note. */
export function row(label: string, value: string, note = ''): void {
  console.log(`  ${label.padEnd(38)}${value.padStart(12)}  ${note}`.trimEnd());
}

/** Checks what must hold in every run. If it does not, the example says so and exits with 1. */
export function must(holds: boolean, claim: string): void {
  if (holds) return;
  console.error(`\nThis does not hold: ${claim}`);
  process.exitCode = 1;
}

/**
 * The size of the run: the only argument, a whole number from SMALLEST on, or `standard` if there is none. Anything
 * else exits with 2.
 */
export function sizeArgument(what: string, standard: number): number {
  const [text = String(standard), ...others] = process.argv.slice(2);
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= SMALLEST && others.length === 0) return count;
  console.error(
    `The only argument is the number of ${what}: a whole number from ${SMALLEST} on (default: ${standard}).`,
  );
  process.exit(2);
}
