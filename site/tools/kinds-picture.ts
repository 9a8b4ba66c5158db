// The picture of all kinds of filter: for each, a few of its cells, and where one key goes.

/**
 * A row of cells, a character for each: `.` is empty, `x` or a digit is in use by other keys, `-` and `~` are so for
 * older ones, `@` or one of `A`, `B`, `C` for 1, 2, 3 is in use by the key, and `o` is where the key could be as well.
 * A space is no cell.
 */
type CellRow = string;

interface PicturedKind {
  /** Its name in the table of entries. */
  readonly name: string;
  readonly className: string;
  /** Its section in docs/kinds.md. */
  readonly anchor: string;
  /** When to take it. */
  readonly need: string;
  /** Where a key goes. */
  readonly place: string;
  /** Bits per key for a million keys at an error rate of 1 %. */
  readonly bits: string;
  readonly cells: readonly CellRow[];
}

export const picturedKinds: readonly PicturedKind[] = [
  {
    name: 'classic',
    className: 'BloomFilter',
    anchor: 'classic',
    need: 'small at any error rate',
    place: 'bits anywhere',
    bits: '9.6',
    cells: ['x.x..@.xx..x.x.', '.x..x..x.@..x..', 'x..xx.x..x.x..x', '.@.x..x.x..@.xx'],
  },
  {
    name: 'blocked',
    className: 'BlockedBloomFilter',
    anchor: 'blocked',
    need: 'fast lookups',
    place: 'bits of one block: one cache line',
    bits: '10.5',
    cells: ['x.x..x. .xx..x.', '.x.xx.. x..x.xx', 'x..x.x. @.@x@@.', '.xx..x. .x.x..x'],
  },
  {
    name: 'wide',
    className: 'WideBlockedBloomFilter',
    anchor: 'wide',
    need: 'fast lookups, rare errors',
    place: 'bits of one wide block: one cache line',
    bits: '12.5',
    cells: ['x.x..x..x..xx.x', '.@.@x.@..@@x.@.', 'x..x.x.x..x.x..', '.xx..x.x.x.x..x'],
  },
  {
    name: 'fuse',
    className: 'BinaryFuseFilter',
    anchor: 'fuse',
    need: 'a list that is complete',
    place: 'three cells that give its fingerprint',
    bits: '8.0',
    cells: ['xxxxxxxxxxxxxxx', 'xx@xxxxxxxxxxxx', 'xxxxxxx@xxxxxxx', 'xxxxxxxxxxxx@xx'],
  },
  {
    name: 'sharded-fuse',
    className: 'ShardedFuseFilter',
    anchor: 'fuse-in-shards',
    need: 'a complete list of any length',
    place: 'three cells of one shard',
    bits: '8.0',
    cells: ['xxxx xxxx xxxx', 'xxxx xx@x xxxx', 'xxxx x@xx xxxx', 'xxxx xxx@ xxxx'],
  },
  {
    name: 'counting',
    className: 'CountingBloomFilter',
    anchor: 'counting',
    need: 'removal, any number of keys',
    place: 'counters anywhere',
    bits: '38.3',
    cells: ['1.2..A.11..1.3.', '.1..2..1.B..1..', '1..11.2..1.1..2', '.A.1..1.1..C.11'],
  },
  {
    name: 'cuckoo',
    className: 'CuckooFilter',
    anchor: 'cuckoo',
    need: 'removal in less memory',
    place: 'a fingerprint, in one of two buckets',
    bits: '10.5',
    cells: ['xx.. xxx. x...', 'x... oooo xxxx', 'xxx. xx.. x...', 'xx.. xxx. @xx.'],
  },
  {
    name: 'dleft',
    className: 'DLeftCountingBloomFilter',
    anchor: 'd-left-counting',
    need: 'removal of keys that come many times',
    place: 'a counted fingerprint, in the emptiest of four',
    bits: '18.7',
    cells: ['1... 2ooo 11..', '12oo 1... 113.', '11.. 12.. Aooo', '121. 11oo 1...'],
  },
  {
    name: 'tombstone',
    className: 'TombstoneFilter',
    anchor: 'removing-from-any-kind',
    need: 'removal of a few keys',
    place: 'a second filter, of what was removed',
    bits: 'as the other',
    cells: ['x.x..@.xx.   ...', '.x..x..x.@   @.x', 'x..xx.x..x   ..@', '.@.x..x.x.   ...'],
  },
  {
    name: 'scalable',
    className: 'ScalableBloomFilter',
    anchor: 'growing',
    need: 'an unknown number of keys',
    place: 'bits of the newest filter; each is larger',
    bits: '12.1 and up',
    cells: ['xxxx           ', 'xx.xx.xx       ', '.x..@...x..@.@.', '               '],
  },
  {
    name: 'rotating',
    className: 'RotatingBloomFilter',
    anchor: 'forgetting',
    need: 'the latest keys only',
    place: 'bits of the newest slice; the oldest is cleared',
    bits: '18.7',
    cells: ['.x..@...x..@.@.', 'x.x.x..x.xx..x.', '-.--.-.--..-.-.', '~.~~..~.~.~~..~'],
  },
  {
    name: 'stable',
    className: 'StableBloomFilter',
    anchor: 'stable',
    need: 'an endless stream',
    place: 'counters that fade at random',
    bits: '95.5',
    cells: ['1.2..C.13..1.3.', '.1..2..1.C..1..', '1..31.2..1.1..2', '.C.1..1.2..C.11'],
  },
  {
    name: 'spatial',
    className: 'SpatialBloomFilter',
    anchor: 'spatial',
    need: 'a label for each key',
    place: 'labels anywhere; of two, the higher stays',
    bits: '76.7',
    cells: ['1.2..B.11..1.3.', '.1..2..3.B..1..', '1..31.2..1.1..2', '.B.1..3.1..B.11'],
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
  return `<svg class="cells" viewBox="0 0 ${width} ${height}" aria-hidden="true">${all.join('')}</svg>`;
}

/** The picture as HTML: a card for each kind. */
export function kindsPicture(): string {
  const cards = picturedKinds.map(
    ({ className, anchor, need, place, bits, cells }) => `<li>
${drawn(cells)}
<h3>${need}</h3>
<p><a href="docs/kinds.html#${anchor}"><code>${className.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>')}</code></a></p>
<p class="small muted">${place}</p>
<p class="small">${bits}${/\d$/.test(bits) ? ' bits a key' : ''}</p>
</li>`,
  );
  return `<ul class="kinds">\n${cards.join('\n')}\n</ul>`;
}
