// The picture of kinds of filter: for each, a few of its cells, and where one key goes.

import { kinds } from '../../tools/entries.ts';
import { readSource } from './docs/documents.ts';

/**
 * A row of cells, a character for each: `.` is empty, `x` or a digit is in use by other keys, `-` and `~` are so for
 * older ones, `@` or one of `A`, `B`, `C` for 1, 2, 3 is in use by the key, and `o` is where the key could be as well.
 * A space is no cell.
 */
type CellRow = string;

interface PicturedKind {
  /** Its name in the table of entries. */
  readonly name: string;
  /** When to take it. */
  readonly need: string;
  /** Where a key goes. */
  readonly place: string;
  readonly cells: readonly CellRow[];
}

export const picturedKinds: readonly PicturedKind[] = [
  {
    name: 'classic',
    need: 'small at any error rate',
    place: 'bits anywhere',
    cells: ['x.x..@.xx..x.x.', '.x..x..x.@..x..', 'x..xx.x..x.x..x', '.@.x..x.x..@.xx'],
  },
  {
    name: 'blocked',
    need: 'fast lookups',
    place: 'bits of one block: one cache line',
    cells: ['x.x..x. .xx..x.', '.x.xx.. x..x.xx', 'x..x.x. @.@x@@.', '.xx..x. .x.x..x'],
  },
  {
    name: 'wide',
    need: 'fast lookups, rare errors',
    place: 'bits of one wide block: one cache line',
    cells: ['x.x..x..x..xx.x', '.@.@x.@..@@x.@.', 'x..x.x.x..x.x..', '.xx..x.x.x.x..x'],
  },
  {
    name: 'fuse',
    need: 'a list that is complete',
    place: 'three cells that give its fingerprint',
    cells: ['xxxxxxxxxxxxxxx', 'xx@xxxxxxxxxxxx', 'xxxxxxx@xxxxxxx', 'xxxxxxxxxxxx@xx'],
  },
  {
    name: 'sharded-fuse',
    need: 'a complete list of any length',
    place: 'three cells of one shard',
    cells: ['xxxx xxxx xxxx', 'xxxx xx@x xxxx', 'xxxx x@xx xxxx', 'xxxx xxx@ xxxx'],
  },
  {
    name: 'fuse-map',
    need: 'a value for each key of a complete list',
    place: 'three cells, whose combination is the value',
    cells: ['1532 4214 3512', '2415 31@2 1423', '3124 2@41 5312', '4251 123@ 2415'],
  },
  {
    name: 'counting',
    need: 'removal, any number of keys',
    place: 'counters anywhere',
    cells: ['1.2..A.11..1.3.', '.1..2..1.B..1..', '1..11.2..1.1..2', '.A.1..1.1..C.11'],
  },
  {
    name: 'cuckoo',
    need: 'removal in less memory',
    place: 'a fingerprint, in one of two buckets',
    cells: ['xx.. xxx. x...', 'x... oooo xxxx', 'xxx. xx.. x...', 'xx.. xxx. @xx.'],
  },
  {
    name: 'dleft',
    need: 'removal of keys that come many times',
    place: 'a counted fingerprint, in the emptiest of four',
    cells: ['1... 2ooo 11..', '12oo 1... 113.', '11.. 12.. Aooo', '121. 11oo 1...'],
  },
  {
    name: 'tombstone',
    need: 'removal of a few keys',
    place: 'a second filter, of what was removed',
    cells: ['x.x..@.xx.   ...', '.x..x..x.@   @.x', 'x..xx.x..x   ..@', '.@.x..x.x.   ...'],
  },
  {
    name: 'scalable',
    need: 'an unknown number of keys',
    place: 'bits of the newest filter; each is larger',
    cells: ['xxxx           ', 'xx.xx.xx       ', '.x..@...x..@.@.', '               '],
  },
  {
    name: 'rotating',
    need: 'the latest keys only',
    place: 'bits of the newest generation; the oldest is cleared',
    cells: ['.x..@...x..@.@.', 'x.x.x..x.xx..x.', '-.--.-.--..-.-.', '~.~~..~.~.~~..~'],
  },
  {
    name: 'stable',
    need: 'an endless stream',
    place: 'counters that fade at random',
    cells: ['1.2..C.13..1.3.', '.1..2..1.C..1..', '1..31.2..1.1..2', '.C.1..1.2..C.11'],
  },
  {
    name: 'spatial',
    need: 'a label for each key',
    place: 'labels anywhere; of two, the higher stays',
    cells: ['1.2..B.11..1.3.', '.1..2..3.B..1..', '1..31.2..1.1..2', '.B.1..3.1..B.11'],
  },
  {
    name: 'fingerprint-set',
    need: 'no errors',
    place: 'a fingerprint, in order, in one of many pages',
    cells: ['xx.x xxx. .xx.', 'x.xx .xx. xx.x', '.xxx x@x. x.xx', 'xx.. .xxx xxx.'],
  },
];

const STEP = 10;
const SIZE = 8;
const COLUMNS = 16;

const KEY_DIGITS = 'ABC';
const classes: Readonly<Record<string, string>> = { '.': 'empty', o: 'could', '-': 'old', '~': 'oldest', '@': 'key' };

function cellAt(character: string, column: number, row: number): string {
  if (character === ' ') return '';
  const [x, y] = [STEP * column, STEP * row];
  const keyDigit = KEY_DIGITS.indexOf(character) + 1;
  const className = keyDigit > 0 ? 'key' : (classes[character] ?? 'used');
  const digit = keyDigit > 0 ? String(keyDigit) : /\d/.test(character) ? character : '';
  const text = digit && `<text x="${x + SIZE / 2}" y="${y + SIZE - 1.3}">${digit}</text>`;
  return `<g class="${className}"><rect x="${x + 0.5}" y="${y + 0.5}" width="${SIZE - 1}" height="${SIZE - 1}" rx="1.5"/>${text}</g>`;
}

function drawn(cells: readonly CellRow[]): string {
  const all = cells.flatMap((line, row) => Array.from(line, (character, column) => cellAt(character, column, row)));
  const [width, height] = [STEP * COLUMNS - (STEP - SIZE), STEP * cells.length - (STEP - SIZE)];
  return `<svg class="kind-cells" viewBox="0 0 ${width} ${height}" aria-hidden="true">${all.join('')}</svg>`;
}

/** The row of a class in the table of docs/kinds.md: its section, and its bits per key for a million keys at 1 %. */
function documented(className: string): { readonly anchor: string; readonly bits: string } {
  const row = new RegExp(`^\\|.*\\[\`${className}\`\\]\\(#([\\w-]+)\\)[^|]* \\| ([^|]+) \\|`, 'm').exec(
    readSource('docs/kinds.md'),
  );
  const [, anchor, bits] = row ?? [];
  if (anchor === undefined || bits === undefined) throw new Error(`docs/kinds.md has no row with ${className}`);
  return { anchor, bits };
}

function cardOf({ name, need, place, cells }: PicturedKind): string {
  const className = kinds.find((kind) => kind.name === name)?.className ?? name;
  const { anchor, bits } = documented(className);
  return `<li>
${drawn(cells)}
<h3>${need}</h3>
<p><a href="docs/kinds.html#${anchor}"><code>${className.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>')}</code></a></p>
<p class="small muted">${place}</p>
<p class="small">${bits}${/\d$/.test(bits) ? ' bits a key' : ''}</p>
</li>`;
}

/** The kinds that most readers need. */
const USUAL = ['classic', 'blocked', 'fuse', 'cuckoo'];

/** The picture of all kinds, or of a few, as HTML: a card for each. */
export function kindsPicture(which: 'all' | 'usual'): string {
  const shown = picturedKinds.filter(({ name }) => which === 'all' || USUAL.includes(name));
  return `<ul class="cards kinds ${which}">\n${shown.map(cardOf).join('\n')}\n</ul>`;
}
