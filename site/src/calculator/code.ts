// The code that makes a filter.

import type { Asked } from './advice.ts';
import type { EndlessKind } from './endless.ts';
import { shapeIfAny } from './limits.ts';
import type { Answer, Question } from './solve.ts';

/** `1000000` as `1_000_000`. */
function literal(value: number): string {
  if (!Number.isInteger(value) || value < 10_000) return String(Number(value.toPrecision(3)));
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, '_');
}

function optionsText(options: Readonly<Record<string, number>>): string {
  const fields = Object.entries(options).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${fields.join(', ')} }`;
}

/** Whether the filter is made from a size, not from a capacity and an error rate. */
function isSized({ given, hashes }: Question, { row }: Answer): boolean {
  return given.includes('bits') || (hashes !== undefined && row.choosesHashes);
}

export function typeScript(question: Question, answer: Answer): string {
  const { row, capacity, errorRate, shape } = answer;
  const { className, entry, grows } = row;
  const promise: Record<string, number> = grows ? { capacity, errorRate } : { errorRate };
  const options = optionsText(isSized(question, answer) ? row.sizeOptions(shape) : promise);
  const made = grows
    ? `const filter = new ${className}(${options});\nfilter.addMany(['ada', 'grace']);`
    : `const filter = ${className}.from(['ada', 'grace'], ${options});`;
  return `import { ${className} } from '${entry}';\n\n${made}\nfilter.has('ada'); // true`;
}

/** The code that makes a filter for a stream; the name of its class if there is no such filter. */
export function construction(row: EndlessKind, { capacity, errorRate }: Partial<Asked>): string {
  if (!capacity || !errorRate || !shapeIfAny(row, capacity, errorRate)) return row.className;
  return `new ${row.className}(${optionsText({ capacity, errorRate })})`;
}

/** The command; undefined for a filter made from a size, because the command line chooses sizes itself. */
export function commandLine(question: Question, answer: Answer): string | undefined {
  if (isSized(question, answer)) return undefined;
  const { row, capacity, errorRate } = answer;
  const rate = Number(errorRate.toPrecision(3));
  const size = row.grows ? ` --capacity ${capacity}` : '';
  return `npx bloomery build names.txt -o names.bloom --kind ${row.kind}${size} --error-rate ${rate}`;
}
