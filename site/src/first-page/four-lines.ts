// The four lines of code that run on the first page. The reader edits values in them; no text is run as code.

import type { Engine } from '../engine.ts';
import { byteSize, integer, percent, plural } from '../format.ts';

/** What the reader can edit, as it is written in the code. */
export interface Fields {
  readonly capacity: string;
  readonly errorRate: string;
  readonly keys: string;
  readonly asked: string;
}

/** Above this, a filter would take memory that nobody expects of a page. */
const MOST_BYTES = 64e6;
const MOST_KEYS = 10_000;
const OTHERS = 10_000;
const NOTHING = '\u00a0';

/** A number as JavaScript writes it: `1_000_000`, `1e6`, `0.01`. Not a number if it is none. */
function numberIn(text: string): number {
  const trimmed = text.trim();
  return /^(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)
    ? Number(trimmed.replaceAll('_', ''))
    : Number.NaN;
}

/** Texts in quotes, or between commas. */
export function keysIn(text: string): string[] {
  const found = text.matchAll(/'([^']*)'|"([^"]*)"|`([^`]*)`|[^\s,][^,]*/g);
  return Array.from(found, ([all, ...quoted]) => quoted.find((each) => each !== undefined) ?? all.trim());
}

/** A key as JavaScript writes it. */
const quoted = (key: string): string => `'${key.replace(/[\\']/g, '\\$&')}'`;

/** The four lines as a program, which prints the answer. */
export function codeOf({ capacity, errorRate, keys, asked }: Fields): string {
  const [key = ''] = keysIn(asked);
  return [
    "import { BloomFilter } from 'bloomery';",
    `const taken = new BloomFilter({ capacity: ${capacity.trim()}, errorRate: ${errorRate.trim()} });`,
    `taken.addMany([${keysIn(keys).map(quoted).join(', ')}]);`,
    `console.log(taken.has(${quoted(key)}));\n`,
  ].join('\n');
}

function answerFor(isPresent: boolean, wasAdded: boolean, rate: number): string {
  if (!isPresent) return 'false: certainly absent';
  if (wasAdded) return 'true: always, for a key that was added';
  return `true, and wrong: a false positive, as for ${percent(rate)} of absent keys`;
}

/** A failed line, and nothing for those after it, and for what other keys would get. */
const failed = (message: string) => ({ made: message, added: NOTHING, answered: NOTHING, others: NOTHING });

/** Runs the four lines with the library, and gives the comments behind them. */
export function runLines({ BloomFilter, optimalBits }: Engine, fields: Fields): ReturnType<typeof failed> {
  const [capacity, errorRate] = [numberIn(fields.capacity), numberIn(fields.errorRate)];
  if (Number.isNaN(capacity)) return failed('capacity is no number');
  if (Number.isNaN(errorRate)) return failed('errorRate is no number');
  const keys = keysIn(fields.keys);
  if (keys.length > MOST_KEYS) return failed(`here, at most ${integer(MOST_KEYS)} keys are added`);
  try {
    const bytes = optimalBits(capacity, errorRate) / 8;
    if (bytes > MOST_BYTES)
      return failed(`${byteSize(bytes)}; this page makes filters of up to ${byteSize(MOST_BYTES)}`);
    const taken = new BloomFilter({ capacity, errorRate });
    try {
      taken.addMany(keys);
      const added = new Set(keys);
      const [asked = ''] = keysIn(fields.asked);
      const others = Array.from({ length: OTHERS }, (_, i) => `never added ${i}`).filter((key) => !added.has(key));
      return {
        made: `${byteSize(taken.byteLength)}; a key sets ${plural(taken.hashes, 'bit')}`,
        added: plural(added.size, 'key'),
        answered: answerFor(taken.has(asked), added.has(asked), taken.estimateErrorRate()),
        others: `Of ${integer(others.length)} keys that were never added, ${integer(taken.pick(others).length)} look present.`,
      };
    } finally {
      taken.dispose();
    }
  } catch (error) {
    return failed((error as Error).message);
  }
}
