// Patches of the files that make hashes of keys, and of what all modules share.

import type { Patches } from './patch.ts';

export const hashing: Patches = {
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
    ['i + 1 < units ?', 'i + 1 <= units ?', 'reads past the end of a string that ends with a surrogate'],
    ['(low & 0xfc00) == 0xdc00', '(low & 0xf800) == 0xd800', 'takes two high surrogates for a pair'],
    ['point < 0xdc00 && ', '', 'takes two low surrogates for a pair'],
  ],
  'hash-chunk.ts': [
    ['+ <u32>(begun >> 56) <= end', '+ <u32>(begun >> 56) < end', 'ends a key within a character that crosses 8 bytes'],
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
};
