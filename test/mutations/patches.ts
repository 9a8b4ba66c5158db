/** A small change to a file that the tests must notice: what is replaced occurs exactly once in the file. */
export type Patch = readonly [text: string, replacement: string, does: string];

/** The patches of each file of assembly/. */
export const patches: Readonly<Record<string, readonly Patch[]>> = {
  // The files that make hashes of keys, and what all modules share.
  'arithmetic.ts': [
    [' + u32(low + multiplyHigh(load<u32>(a), n) < low);', ';', 'leaves out what the low half carries into a bucket'],
    ['(aLow * bHigh + (middle & 0xffff)) >> 16', '(aLow * bHigh) >> 16', 'without SIMD, loses a carry of a product'],
    ['<u32>(b >> 32) + (<u32>b >> 31)', '<u32>(b >> 32)', 'without SIMD, takes a negative low half for a positive one'],
    ['| ((c << 1) << (31 - skipped))', '| (c << (32 - skipped))', 'without SIMD, shifts by 32 where a half is aligned'],
    [
      '((load<u32>(word, 4) << 1) << (31 - skipped))',
      '(load<u32>(word, 4) << (32 - skipped))',
      'without SIMD, shifts by 32 where a word is aligned',
    ],
  ],
  'murmur3.ts': [
    ['  h2 ^= length;\n', '', 'leaves the length out of h2'],
    [
      'return h1 + (h1 << 1) == load<u64>(hash, 8) << 1;',
      'return true;',
      'takes h1 and h2 for multiples when only their low halves are',
    ],
    ['tail, <u64>length, state', 'tail, <u64><u32>length, state', 'counts the length of a key in parts modulo 2^32'],
    ['^ mixFirst(value), seed, 8,', '^ mixFirst(value), 0, 8,', 'starts h2 of an integer with 0 in place of the seed'],
  ],
  'siphash.ts': [
    ['| (length << 56)', '| ((length & 127) << 56)', 'counts the length of a key modulo 128'],
    ['seed ? 0 : OTHER_SECRET', 'seed ? OTHER_SECRET : 0', 'hashes files under the secret for keys'],
    ['<usize>(<u64>length & 8)', '<usize>(<u64>length & 0)', 'leaves out 8 of the last 15 bytes of a key in parts'],
  ],
  'xxh64.ts': [
    ['if (length >= 32) {', 'if (length > 32) {', 'takes a key of 32 bytes for one without a stripe'],
    ['const h = bytes < 32', 'const h = bytes <= 32', 'takes a key in parts of 32 bytes for one without a stripe'],
    ['memory.copy(WORK + 16, tail, 16)', 'memory.copy(WORK + 16, tail, 8)', 'loses the last bytes after half a stripe'],
    [';\n      store<u64>(state, 0, HAS_HALF);', ';', 'takes each half of a stripe after the second for a second one'],
  ],
  'murmur64a.ts': [
    ['if (bytes & 8) {', 'if (bytes > 8) {', 'takes 8 more bytes at the end of a key in parts'],
    ['state, begin(a, <u64>length),', 'state, begin(SEED, <u64>length),', 'hashes a key in parts twice under one seed'],
  ],
  'spark-hash.ts': [
    ['next(h, load<i8>(tail))', 'next(h, load<u8>(tail))', 'takes the last bytes for unsigned integers'],
    ['bytes & 12', 'bytes & 8', 'leaves out 4 of the last 15 bytes of a key in parts'],
  ],
  'place.ts': [['place(out + 8, 8, out);', 'place(out, 8, out);', 'places an integer where its place is']],
  'hash.ts': [
    ['else murmur3OfU64(value, seed, out);', 'else murmur3OfU64(value, 0, out);', 'ignores the seed for integers'],
  ],
  'hash-key.ts': [
    ['0xff80ff80ff80ff80', '0xff00ff00ff00ff00', 'takes 0x80 for ASCII'],
    ['a | b;\n    first = eight', 'a;\n    first = eight', 'does not see that 4 units of the last half are not ASCII'],
    ['a | b;\n    store<u64>', 'b;\n    store<u64>', 'under a secret, does not see that 4 of 8 units are not ASCII'],
    ['length = 8;', 'length = 7;', 'hashes seven bytes of a number'],
    ['length, seed, out)) return;', 'length, seed, ONE_HASH)) return;', 'writes the hash of a string elsewhere'],
    ['i + 1 < units ?', 'i + 1 <= units ?', 'reads past the end of a string that ends with a surrogate'],
    ['(low & 0xfc00) == 0xdc00', '(low & 0xf800) == 0xd800', 'takes two high surrogates for a pair'],
    ['point < 0xdc00 && ', '', 'takes two low surrogates for a pair'],
  ],
  'hash-chunk.ts': [
    ['+ <u32>(begun >> 56) <= end', '+ <u32>(begun >> 56) < end', 'ends a key within a character that crosses 8 bytes'],
    ['ascii += 16;', 'ascii += 32;', 'takes 16 bytes for ASCII without looking at them'],
    ['if (ascii < asciiEnd) {', 'if (ascii + 16 <= asciiEnd) {', 'takes the last bytes of a key for ASCII'],
    ['return at == bytes + length;', 'return true;', 'misses a pair that two strings made'],
    ['      if (units > end) return false;\n', '', 'without SIMD, misses a pair that two strings made'],
    ['if (at + 32 > length) {', 'if (at + 32 >= length) {', 'loses the lines of the last 32 bytes, if they are whole'],
    ['(v128.load(at, 16), wanted)', '(v128.load(at), wanted)', 'sees a carriage return only in the first of 16 bytes'],
    ['seen |= anyReturn(text + at)', 'seen = anyReturn(text + at)', 'sees a carriage return only in the last 32 bytes'],
    ['u32(start < newline) & ', '', 'takes a carriage return before an empty line away'],
    [' & u32(newline < text + length)', '', 'drops a carriage return at the end of a text'],
    ['&& stop > text + length', '> 1 && stop > text + length', 'ends a single line without a newline after the text'],
  ],
  'memory.ts': [['ASC_FEATURE_THREADS ? ownWork : WORK', 'WORK', 'lets all threads write to one work area']],
  'index.ts': [['bits_or, bits_and,', 'bits_or as bits_and, bits_and as bits_or,', 'exchanges union and intersection']],
  'keyed.ts': [
    [
      'export { blocked_add_key, blocked_has_key } from "./blocked";\n',
      '',
      'hashes single keys of a kind without the secret',
    ],
  ],
  'linked.ts': [['("kernel", "hash_key")', '("kernel", "blocked_has_key")', 'imports another function of the kernel']],

  // The files that hold the loops of kinds.
  'classic.ts': [
    [
      '  if (rest > 0 - m) return index + u32(rest + multiplyHigh(low, m) < rest);\n',
      '',
      'without SIMD, loses a carry',
    ],
    ['((s >> 32) * m + (((s & LOW) * m) >> 32))', '((s >> 32) * m)', 'leaves out what the low half adds to an index'],
    ['((middle & LOW) + multiply(low, wide)) >> 32', 'multiply(low, wide) >> 32', 'loses a carry from 2^32 bits on'],
    [', m & LOW) + (multiply(low, m & LOW) >> 32)', ', m & LOW)', 'leaves out the lowest product from 2^32 bits on'],
    ['return m >> 32 ? scaleWide', 'return m >> 33 ? scaleWide', 'takes filters of up to 2^33 bits for small ones'],
    ['(<usize>(index >> 5) << 2)', '(<usize>(<u32>index >> 5) << 2)', 'never reaches a bit at an index past 2^32'],
    ['INDICES / k)', 'INDICES / k + 1)', 'writes indices of a key too many to the work area'],
    ['step(step(first(hash), d), d)', 'step(first(hash), d)', 'looks up the second bit again in place of the third'],
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
    ['const TILE: u32 = 256;', 'const TILE: u32 = 512;', 'keeps positions above 255 in bytes'],
    ['FOUND: usize = WALKS + 16 *', 'FOUND: usize = WALKS + 15 *', 'writes flags over the last hashes of a full tile'],
  ],
  'fingerprint-table.ts': [
    ['if ((a | c) == 0) c = 1;', '', 'stores the fingerprint of zeros as a free cell'],
    ['const x = y - multiply(c,', 'const x = y + multiply(c,', 'gives back other fingerprints than it got'],
    ['if (found > w) break;', 'if (found >= w) break;', 'misses a fingerprint after one with the same place'],
    ['found == 0 && isFree(place)) break;', 'found == 0) break;', 'stops at a fingerprint whose place is 0'],
    ['(table, PAGE_BYTES) - width) {', '(table, PAGE_BYTES)) {', 'fills the last cell of a page, which ends searches'],
    ['(table, address, next) < next;', '(table, address, next) < place;', 'moves too few cells after a removal'],
    ['store<u32>(facts, load<u32>(facts) - 1);', '', 'does not count removals from a page'],
    ['< end; index++) store<u16>', '< end - 1; index++) store<u16>', 'forgets an entry of a page that is split'],
    [
      'for (let index: u32 = 1 << depth; index-- > 0; ) {',
      'for (let index: u32 = 0; index < 1 << depth; index++) {',
      'overwrites entries of the directory before it copies them',
    ],
    ['>> (31 - depth)) & 1) {', '>> (30 - depth)) & 1) {', 'splits a page by another bit than the directory'],
    ['place = max(place, home);', 'place = home;', 'puts cells of a page that is split over each other'],
    ['< load<u32>(table, USED)', '< load<u32>(table, PAGES)', 'finds what was in pages before the table was cleared'],
    ['if (width == WIDE) store<u32>(cell, load<u32>(place, VALUE), VALUE);', '', 'does not fetch a value'],
    ['if (width == WIDE) store<u32>(to, load<u32>(from, VALUE), VALUE);', '', 'leaves values behind'],
    ['store<u32>(factsOf(table, 0), count);', '', 'does not count what a larger table got'],
  ],
  'fingerprint-set.ts': [
    ['fingerprints += stride) {', 'fingerprints += 16) {', 'reads fingerprints that follow one another as hashes'],
    ['memory.fill(flags + done, 0, count - done);', '', 'leaves the flags of fingerprints without room'],
    ['if (!isFree(cell) && insert(', 'if (insert(', 'moves free cells too'],
    ['width * SWEEPS; first', 'width * (SWEEPS - 1); first', 'leaves the last sweep out when one page becomes many'],
    ['out += width;', 'out += 16;', 'writes fingerprints with gaps'],
    ['if (adds) store<u32>', 'if (!adds) store<u32>', 'does not take the values of hashes'],
    ['store<u32>(fingerprints, countOf(table), VALUE);', '', 'keeps the end of a hash as its number'],
    ['numbers) == 0) return done;', 'numbers) == 0) return count;', 'leaves hashes without numbers when it is full'],
    ['if (countsAsZeros(out)) store<u32>(out, 0, 8);', '', 'gives back another hash than zeros'],
    ['store<u32>(CELLS, load<u32>(hash, VALUE), VALUE);', '', 'does not take the value of a single hash'],
  ],
  'fingerprint-order.ts': [
    ['level < 8 ? 7 - level : 7 + width -', 'level < 8 ? level : 7 + width -', 'sorts h1 by its lowest byte first'],
    ['e == f ? load<u32>(one, 8) < load<u32>(other, 8) : e < f', 'e < f', 'leaves the low half of h2 out of the order'],
    ['if (level == width - 1) return;', 'if (level == width - 2) return;', 'does not sort by the last byte'],
    ['if (width == WIDE ? countsAsZeros(at) : isFree(at)) return i;', '', 'takes a fingerprint of zeros'],
    ['width, level + 1, ends + 1024', 'width, level + 1, ends', 'forgets the ends of runs while it sorts one of them'],
    ['place > at && isLess', 'place > at + width && isLess', 'never sorts the first of a few'],
  ],
  'bodies.ts': [
    [
      'let count: u64 = 0;\n  for (const end = at + length; at < end; at += 8) count += popcnt(load<u64>(at));',
      'let count: u32 = 0;\n  for (const end = at + length; at < end; at += 8) count += <u32>popcnt(load<u64>(at));',
      'counts bits modulo 2^32',
    ],
    ['length; at < end;', 'length; <isize>at < <isize>end;', 'counts no bits of a body that crosses the address 2^31'],
    ['const end = one + length;', 'const end = one + length - 8;', 'does not compare the last 8 bytes'],
    [
      'target < end; target += 8, source += 8) {\n    store<u64>(target, load<u64>(target) |',
      '<isize>target < <isize>end; target += 8, source += 8) {\n    store<u64>(target, load<u64>(target) |',
      'combines nothing in a body that crosses the address 2^31',
    ],
  ],
  'blocked.ts': [
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
    [
      'blocked_has(body, blocks, hashKey(text, key, length, seed)',
      'blocked_has(body, blocks, hashKey(text, key, length, 0)',
      'looks single keys up without the seed',
    ],
    ['body, blocks, 1 << SHIFT, 1', 'body, blocks - 1, 1 << SHIFT, 1', 'leaves the last block out of the error rate'],
  ],
  'split-block.ts': [
    ['0x5c6bfb31,', '0x5c6bfb33,', 'with SIMD, has another salt for the last word'],
    ['at < body + bytes; at += 4', 'at < body + bytes - 4; at += 4', 'leaves the last word out of the error rate'],
    [
      'return v128.or(first, setMissingVector(words + 16, v128.andnot(lastMask, oldLast)));',
      'setMissingVector(words + 16, v128.andnot(lastMask, oldLast));\n    return first;',
      'between threads, tells only of the first four words whether a key is new',
    ],
  ],
  'wide.ts': [
    ['if (seed - 1 < MAX_LENGTH)', 'if (seed - 1 < MAX_LENGTH - 1)', 'takes hashes under the seed 8 as they are'],
    ['if (seed - 1 < MAX_LENGTH)', 'if (seed && seed <= 4)', 'takes hashes under the seeds 5 to 8 as they are'],
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
    [
      '  part(hash, 1, seed);\n  return probeOne(false',
      '  return probeOne(false',
      'looks a single key up by multiples as they are',
    ],
  ],
  'counting.ts': [
    ['if (old < FULL && (old > 0', 'if (old <= FULL && (old > 0', 'counts beyond 15'],
    ['old < FULL && (old > 0 || change > 0)', 'old < FULL', 'decrements a counter at 0'],
    ['body + <usize>(index >> 1)) >>', 'body + <usize>(<u32>index >> 1)) >>', 'never reads a counter past 2^32'],
    ['at = body + <usize>(index >> 1);', 'at = body + <usize>(<u32>index >> 1);', 'never writes a counter past 2^32'],
    ['& FIFTH_BITS;\n  const mask', '& (FIFTH_BITS >> 8);\n  const mask', 'leaves a counter out of the smaller of two'],
  ],
  'spatial.ts': [
    [
      'let count: u64 = 0;\n  for (const end = at + length; at < end; at += 8) {\n    const cells = load<u64>(at);\n    count += popcnt(notLess(cells & mask, labels, carries)) + popcnt(',
      'let count: u32 = 0;\n  for (const end = at + length; at < end; at += 8) {\n    const cells = load<u64>(at);\n    count += <u32>popcnt(notLess(cells & mask, labels, carries)) + <u32>popcnt(',
      'counts cells modulo 2^32',
    ],
    ['<usize>(index >> (4 - width)) <<', '<usize>(<u32>index >> (4 - width)) <<', 'never looks at a cell past 2^32'],
    ['index = scale(s, m);\n    label', 'index = <u64><u32>scale(s, m);\n    label', 'never reads a cell past 2^32'],
    ['index = scale(s, m);\n    assert', 'index = <u64><u32>scale(s, m);\n    assert', 'never raises a cell past 2^32'],
    ['shift < 64; shift <<= 1', 'shift < 32; shift <<= 1', 'leaves cells of the high half of a word as they are'],
    ['(cells >> bits) & mask, labels,', '(cells >> bits) & mask, ones,', 'counts every other cell whatever its label'],
  ],
  'stable.ts': [
    ['min(end, m));', 'end);', 'lowers cells after the last one'],
    ['if (end > m) lowerRange', 'if (end > m + 1) lowerRange', 'does not go on with the first cell alone'],
    ['if (after) lower', 'if (after && (<u32>to & inWord) > 1) lower', 'does not lower a single cell of the last word'],
    ['15 * 1024', '16 * 1024', 'writes places over the secret'],
    ['if (m >> 32) return hasTiles', 'if (m >> 33) return hasTiles', 'looks up cells past 2^32 as if there were none'],
    [
      '  let count: u64 = 0;\n  const ones = lowest<u64>(width);\n  for (const end = at + length; at < end; at += 8) count += popcnt(',
      '  let count: u32 = 0;\n  const ones = lowest<u64>(width);\n  for (const end = at + length; at < end; at += 8) count += <u32>popcnt(',
      'counts cells modulo 2^32',
    ],
  ],
  'fields.ts': [
    ['MOST_IN_WORD: u32 = 16', 'MOST_IN_WORD: u32 = 17', 'takes four fields of 17 bits for one word'],
    [
      '(load<u32>(word, 4) & ~(mask >> 1 >> left)) |',
      'load<u32>(word, 4) |',
      'without SIMD, keeps the old bits of a field in its second word',
    ],
    ['two | (two << (2 * bits))', 'two | (two << bits)', 'has the number 1 in three of four fields'],
  ],
  'cuckoo-buckets.ts': [
    ['start + 3 * bits, bits) ==', 'start + 2 * bits, bits) ==', 'does not look at the last slot of wide fingerprints'],
    ['while (slot < 4 &&', 'while (slot < 3 &&', 'takes the last slot for what is looked for'],
  ],
  'cuckoo.ts': [
    ['return odd >= bucket', 'return odd > bucket', 'has n in place of 0 as the second bucket'],
    ['MAX_NODES: u32 = 1024', 'MAX_NODES: u32 = 1020', 'gives up four buckets earlier'],
    ['if (node < 2) return', 'if (node < 1) return', 'takes the first bucket of a key for an ancestor of the second'],
    ['(flags + done, 0, count - done);', '(flags + done, 0, 1);', 'clears only the flag of the key without room'],
    ['i < 2 * count; i++', 'i < 2 * count - 1; i++', 'does not merge the last bucket'],
    ['const bucket = 2 * from + i;', 'const bucket = from + i;', 'merges later pairs into earlier buckets'],
    ['return 1 + copiesOf(body, bits, PLACES)', 'return 1', 'does not tell how often the entry without room is stored'],
  ],
  'dleft-buckets.ts': [
    ['countOf(cell) != 0 && remainderOf', 'remainderOf', 'takes an empty cell for one with the remainder 0'],
    ['countOf(cell) == 1 ? 0 : cell - 1', 'cell - 1', 'keeps the remainder of a cell whose count is 0'],
    [
      'start < CELLS * bits; start += bits) {\n    if (has(',
      'start < 7 * bits; start += bits) {\n    if (has(',
      'does not look at the last of eight wide cells',
    ],
  ],
  'dleft.ts': [
    ['if (empty <= most) continue;', 'if (empty < most) continue;', 'takes the last of equally empty buckets'],
    ['bucket < buckets ? bucket :', 'bucket <= buckets ? bucket :', 'has n in place of 0 as a bucket'],
    ['(from + i) / buckets', 'from / buckets', 'merges what crosses into the next table into the table before it'],
    ['(flags + done, 0, count - done);', '(flags + done, 0, 1);', 'clears only the flag of the key without room'],
    ['decrement(bucketOf(place, 3), bits, remainder) || ', '', 'takes no copy away from the last table'],
    ['return 1 + copiesOf(bits, PLACES);', 'return 1;', 'does not tell how often the entry without room is stored'],
  ],
  'fuse-places.ts': [
    ['cell >> 3) * bits + (((cell & 7) * bits) >> 3)', 'cell * bits) >> 3', 'finds no cell that begins past 2^32 bits'],
    ['(k >> 33)) - offset;', '(k >> 33));', 'keeps the offset of the first attempt'],
    ['shifts >> 16)\n', 'shifts >> 8)\n', 'reads the third cell where the second begins in its byte'],
  ],
  'fuse-building.ts': [
    ['load<u64>(hashes + (i << 4))', 'load<u64>(hashes + (i << 3))', 'mixes h2 of every other hash'],
    ['return count < 256;', 'return count <= 256;', 'counts 256 keys in a byte'],
    ['if (attempt) hash', 'if (attempt == 1) hash', 'builds as in the first attempt from the third on'],
    ['cell < cells; cell++', 'cell < cells - (1 << exponent); cell++', 'peels no cell of the last segment first'],
    ['if (cell == peeled) return queueEnd;', '', 'takes the value out of the cell that it is peeled from'],
    ['(valued ? 16 : 12)', '12', 'counts keys where the values are'],
    ['<u32>(<u64>fingerprint << valueBits)', '(fingerprint << valueBits)', 'shifts by 32 as by 0'],
  ],
  'fuse.ts': [['& mask) == 0);', '& mask) <= 1);', 'takes fingerprints that differ in the last bit for the same']],
  'fuse-map.ts': [
    ['rest <= valueMask', 'rest < valueMask', 'does not find the greatest value'],
    ['value += 4, place', 'place', 'writes all values of a tile to one place'],
    ['flag ? rest : ABSENT', 'rest', 'gives absent keys what their cells have in common'],
    ['bits == 16)', 'bits >= 16)', 'reads cells of 16 bits from those that are wider'],
  ],
  'rotating.ts': [
    ['+ word));\n  }\n  return <f64>count;', '+ word));\n  }\n  return <f64><u32>count;', 'counts bits modulo 2^32'],
    ['room -= some >> 16;', '', 'gives each tile all the room'],
    ['if ((some & 0xffff) < size) break;', '', 'goes on with the next tile where there is no room'],
    ['taken ? (taken >> 16) << 1 : 4', '(taken >> 16) << 1', 'does not tell that there is no room for a single key'],
    [
      '} else if (!((found >> current) & 1)) {\n      if (counted == room) break;\n      counted++;\n      const',
      '} else if (!found) {\n      if (counted == room) break;\n      counted++;\n      const',
      'with SIMD, leaves a key in the older generation that has it',
    ],
    ['generation << SHIFT), blocks', 'generation << SHIFT), blocks - 1', 'leaves the last block out of the error rate'],
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
  ],

  // The files for other systems and for threads.
  'remainder.ts': [
    ['<usize>(bit >> 5) << 2', '<usize>(<u32>bit >> 5) << 2', 'never reaches a bit past 2^32'],
    ['sign(c + (k - 1) * d)', 'sign(c + (k - 2) * d)', 'does not see that the last term has another sign'],
    ['distance * one - (distance & sign(distance))', 'distance * one', 'rounds a negative step wrongly'],
    [' && m * (k << 2) <= 1 << 32', '', 'estimates residues of more hashes than the estimates are good for'],
    ['INDICES / k)', 'INDICES / k + 1)', 'writes bits of a key too many to the work area'],
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
  ],
  'divisor.ts': [
    ['(rest + m - 1) / m', 'rest / m', 'rounds a fraction down'],
    ['m > 1 << 31) return;', 'm >= 1 << 31) return;', 'has no constants for 2^31 bits'],
    ['<u64>m >> 31 ? x', '<u64>m >> 32 ? x', 'estimates residues of 2^31 bits and more'],
    ['return <u32>(f >> 32) + 1;', 'return <u32>(f >> 32);', 'rounds the upper half of a fraction down'],
    ['min<u64>(bits, 1 << 31)', 'bits', 'divides narrow terms by more than 2^31'],
    ['(((one * x) >> 32) + 1) * m', '((one * x) >> 32) * m', 'rounds the fraction of a narrow term down'],
  ],
  'residues.ts': [
    ['m >> 32) return', 'm >> 33) return', 'without SIMD, divides by m modulo 2^32 up to 2^33 bits'],
    [
      '<f64>(<u32>(x >> 32) % m)',
      '<f64>(<i32>(<u32>(x >> 32) % m))',
      'without SIMD, takes a residue from 2^31 on for a negative one',
    ],
  ],
  'terms.ts': [
    ['const a = <i64>load<i32>(hash)', 'const a = <i64>load<u32>(hash)', 'takes the first word of a hash for unsigned'],
    ['(<u32>(<i32>c >> 31) ^', '(<u32>(<i32>c >> 30) ^', 'takes terms from 2^30 on for negative ones'],
  ],
  'guava.ts': [
    ['hasAll(body, bits, k, narrow,', 'hasAll(body, bits, k, 0,', 'looks single keys up by one of the two strategies'],
  ],
  'spark.ts': [
    [
      'hasAll(body, bits, k, narrow, hashKey(text, key, length, seed)',
      'hasAll(body, bits, k, narrow, hashKey(text, key, length, 0)',
      'looks single keys up without the seed',
    ],
  ],
  'parquet.ts': [
    ['{ blocked_add_key, blocked_has_key }', '{ blocked_add_key }', 'looks single keys up by the hash of the kernel'],
  ],
  'go.ts': [
    ['if (rest == 15) {', 'if (rest == 14) {', 'does not see that the added byte completes a block'],
    ['length + 1, HASHES + 16)', 'length, HASHES + 16)', 'does not count the added byte'],
    ['look(body, <u64>bits, k, places', 'look(body, <u64><u32>bits, k, places', 'looks up many keys modulo 2^32 bits'],
  ],
  'redisbloom.ts': [
    ['look(body, <u64>bits, k, hashes', 'look(body, <u64><u32>bits, k, hashes', 'looks up many keys modulo 2^32 bits'],
    ['mark(body, <u64>bits, k, hashes', 'mark(body, <u64><u32>bits, k, hashes', 'adds many keys modulo 2^32 bits'],
  ],
  'threads.ts': [
    [
      'return loaded & bit ? loaded : atomic.or<u32>(word, bit);',
      'if (!(loaded & bit)) atomic.or<u32>(word, bit);\n  return loaded;',
      'tells two threads that they have set a bit',
    ],
    [
      'return loaded & bit ? loaded : atomic.or<u32>(word, bit);',
      'store<u32>(word, loaded | bit);\n  return loaded;',
      'loses bits that another thread sets meanwhile',
    ],
    [
      'return missing ? missing & ~atomic.or<u64>(word, missing) : 0;',
      'if (missing) atomic.or<u64>(word, missing);\n  return missing;',
      'tells two threads that they have set the bits of a block',
    ],
    ['setMissing(words + 8,', 'setMissing(words,', 'sets the bits of a half in the other one'],
  ],
  'shared.ts': [
    ['blocked_add, blocked_has,', 'blocked_has as blocked_add, blocked_has,', 'adds no key to a blocked filter'],
  ],
};
