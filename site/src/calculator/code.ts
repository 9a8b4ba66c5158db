// The code that makes a filter: in TypeScript, on the command line, in Redis.

import { byteSize, integer, rareRate } from '../format.ts';
import { bitsOf, takesKeys } from './kind-row.ts';
import { rowNamed } from './kinds.ts';
import { Refusal } from './limits.ts';
import { type Answer, answerOf, first, isSized, type Question } from './solve.ts';

/** `1000000` as `1_000_000`. Whole numbers are exact: with a digit less, a filter would be made for fewer keys. */
function literal(value: number): string {
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(3)));
  return value < 10_000 ? String(value) : String(value).replaceAll(/\B(?=(\d{3})+$)/g, '_');
}

function optionsText(options: Readonly<Record<string, number>>): string {
  const fields = Object.entries(options).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${fields.join(', ')} }`;
}

export function typeScript(question: Question, answer: Answer): string {
  const { row, capacity, errorRate, shape } = answer;
  const { className, entry, sizing, removes } = row;
  const promise: Record<string, number> = takesKeys(row) ? { capacity, errorRate } : { errorRate };
  const size = isSized(question, answer) && sizing ? sizing.options(shape) : promise;
  const options = optionsText({ ...size, ...row.moreOptions });
  const removal = removes ? "\nfilter.remove('grace');" : '';
  const usual = `const filter = new ${className}(${options});\nfilter.addMany(['ada', 'grace']);${removal}\nfilter.has('ada'); // true`;
  const lines = row.code?.(options) ?? usual;
  const classic = rowNamed('classic');
  const base = lines.includes(`new ${classic.className}(`) && row !== classic;
  const imports = base ? `import { ${classic.className} } from '${classic.entry}';\n` : '';
  return `${imports}import { ${className} } from '${entry}';\n\n${lines}`;
}

/** A program, or why there is none; and a remark about it. */
export interface Snippet {
  readonly code?: string;
  readonly note?: string;
}

export function commandLine(question: Question, answer: Answer): Snippet {
  const { row, capacity, errorRate } = answer;
  if (!row.hasCommand) return { note: `The command line reads ${row.kind} filters, and does not make them.` };
  if (isSized(question, answer)) {
    return { note: 'The command line takes a capacity and an error rate, and chooses bits and hashes itself.' };
  }
  const size = takesKeys(row) ? ` --capacity ${capacity}` : '';
  const rate = Number(errorRate.toPrecision(3));
  return { code: `npx bloomery build names.txt -o names.bloom --kind ${row.kind}${size} --error-rate ${rate}` };
}

/** In Redis, each of the two windows of a filter that forgets has half of the error rate. */
const WINDOWS = 2;

export function redis({ row, capacity, errorRate }: Answer): Snippet {
  if (row.redis === undefined) {
    const lacks = row.removes ? 'keys are not removed from these' : 'these do not do what this kind does';
    return { note: `Redis holds blocked filters, and such that forget: ${lacks}.` };
  }
  const className = row.redis;
  const blocked = rowNamed('blocked');
  const forgets = row.past === 'forgets';
  const filters = forgets ? WINDOWS : 1;
  const least = filters * blocked.leastRate;
  if (errorRate < least) return { note: `In Redis, filters go down to ${rareRate(least)}.` };
  const found = answerOf({ ...first, values: { capacity, errorRate: errorRate / filters } }, blocked);
  if (found instanceof Refusal) return { note: 'So many keys do not fit into one filter in Redis.' };
  const options = optionsText({ capacity, errorRate });
  const given = forgets ? options.replace(' }', ', window: 24 * 60 * 60 * 1000 }') : options;
  const bytes = byteSize(Math.ceil((filters * bitsOf(found.shape)) / 8));
  const note = forgets
    ? `It remembers the keys of the last day, up to ${integer(capacity)} of them: ${bytes} in Redis.`
    : row === blocked
      ? `It takes ${bytes} in Redis.`
      : `In Redis the filter is a blocked one: ${bytes}.`;
  const code = `import { ${className} } from 'bloomery/redis';
import { createClient } from 'redis';

const client = await createClient().on('error', console.error).connect();
const filter = await ${className}.open(client, 'names', ${given});
await filter.addMany(['ada', 'grace']);
await filter.has('ada'); // true`;
  return { code, note };
}
