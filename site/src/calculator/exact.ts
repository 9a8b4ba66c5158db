// Sets, which do not err, beside the kinds of filters. Their figures are those of docs/kinds.md.

import { byteSize, integer, plural, powerOfTen, short } from '../format.ts';
import { wanted } from './limits.ts';
import { following, type Question, unread } from './solve.ts';
import { placeOf } from './words.ts';

export interface ExactSet {
  readonly className: string;
  /** The part of docs/kinds.html about it. */
  readonly anchor: string;
  /** What it is best for, in a few words. */
  readonly bestFor: string;
  /** Why to take it. */
  readonly why: string;
  readonly formula: string;
  readonly code: string;
  /** The bytes of memory that a key takes, about. */
  readonly keyBytes: number;
  readonly mostKeys: number;
}

export const fingerprintSet: ExactSet = {
  className: 'FingerprintSet',
  anchor: 'exact-sets',
  bestFor: 'keys of any length, without errors',
  why: `It keeps 96 bits of the hash of each key: the chance that any two of a billion keys agree in them is less than 1 in ${powerOfTen(11)}. It grows, and removes keys.`,
  formula: 'm = 160 · n, about, whatever the length of keys',
  code: "import { FingerprintSet } from 'bloomery/fingerprint-set';\n\nconst set = FingerprintSet.from(['ada', 'grace']);\nset.remove('grace');\nset.has('ada'); // true",
  keyBytes: 20,
  mostKeys: 200_000_000,
};

export const builtInSet: ExactSet = {
  className: 'Set',
  anchor: 'which-kind',
  bestFor: 'few or short keys, without errors: it lists them',
  why: 'JavaScript has it: it needs no package, and lists its keys. It keeps every key, so long keys take more memory.',
  formula: 'm = 480 · n, about, for names; more for longer keys',
  code: "const set = new Set(['ada', 'grace']);\nset.delete('grace');\nset.has('ada'); // true",
  keyBytes: 60,
  mostKeys: 2 ** 24,
};

const tooMany = ({ mostKeys }: ExactSet): string => `It holds at most ${integer(mostKeys)} keys.`;

/** What a set says in the table of kinds. */
export function exactRow(question: Question, set: ExactSet): { figures: readonly string[]; text: string } {
  const field = unread(question);
  const refused = (text: string) => ({ figures: [], text });
  if (field !== undefined) return refused(wanted[field]);
  const { keyBytes, mostKeys, bestFor } = set;
  const { capacity = 0, bits = 0 } = question.values;
  const fitting = Math.min(mostKeys, Math.floor(bits / 8 / keyBytes));
  if (capacity > mostKeys) return refused(tooMany(set));
  const sought = following(question);
  if (sought === 'errorRate' && capacity > fitting) return refused(`It takes about ${byteSize(capacity * keyBytes)}.`);
  if (sought === 'capacity' && fitting < 1) return refused('Not even one key fits.');
  const figures = { bits: byteSize(capacity * keyBytes), capacity: integer(fitting), errorRate: 'none' };
  return { figures: [figures[sought], short(8 * keyBytes), '–'], text: bestFor };
}

/** A set for so many keys, in a sentence or two. */
export function exactWords(set: ExactSet, keys: number): string {
  if (keys > set.mostKeys) return `${tooMany(set)} Divide them among several.`;
  const bytes = keys * set.keyBytes;
  return `About ${byteSize(bytes)} for ${plural(keys, 'key')}: that ${placeOf(bytes)}.`;
}
