// What a file is that is not a text of lines in UTF-8, by its first bytes.

/** The names of formats, and how a file of each begins: as characters, one for each byte. */
export const BEGINNINGS: readonly (readonly [name: string, ...beginnings: readonly string[]])[] = [
  ['gzip', '\x1f\x8b'],
  ['compress', '\x1f\x9d'],
  ['zstd', '(\xb5/\xfd'],
  ['xz', '\xfd7zXZ\0'],
  ['lzma', ']\0\0'],
  ['bzip2', ...Array.from('123456789', (level) => `BZh${level}1AY&SY`)],
  ['lz4', '\x04"M\x18'],
  ['lzip', 'LZIP\x01'],
  ['lzop', '\x89LZO\0'],
  ['zip', 'PK\x03\x04', 'PK\x05\x06'],
  ['7z', "7z\xbc\xaf'\x1c"],
  ['rar', 'Rar!\x1a\x07'],
  // Before UTF-16, which begins in the same way.
  ['UTF-32', '\xff\xfe\0\0', '\0\0\xfe\xff'],
  ['UTF-16', '\xff\xfe', '\xfe\xff'],
];

/** Where an archive of tar has its name, with which it does not begin. */
const USTAR = 257;
/** So many bytes of a file tell what it is. */
export const HEAD_BYTES: number = USTAR + 8;

/** The name of the format of a file; undefined for what may be a text in UTF-8. */
export function formatNameOf(head: Uint8Array): string | undefined {
  const start = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  // As POSIX and as GNU write it. The word alone may be part of a text.
  if (/^ustar(?:\0| {2}\0)/.test(start.substring(USTAR))) return 'tar';
  return BEGINNINGS.find(([, ...beginnings]) => beginnings.some((each) => start.startsWith(each)))?.[0];
}
