// White space around keys: what `trim()` of strings removes, in UTF-8.

const [TAB, RETURN, SPACE] = [9, 13, 32];

/** How many bytes the white space has that begins at a place; 0 if there is none. */
function blankAt(text: Uint8Array, at: number): number {
  const first = text[at] as number;
  if (first === SPACE || (first >= TAB && first <= RETURN)) return 1;
  if (first < 0x80) return 0;
  const [second = 0, third = 0] = [text[at + 1], text[at + 2]];
  switch (first) {
    case 0xc2: // No-break space.
      return second === 0xa0 ? 2 : 0;
    case 0xe1: // Ogham space mark.
      return second === 0x9a && third === 0x80 ? 3 : 0;
    case 0xe2: // Spaces of all widths, U+2000 to U+200A, U+202F and U+205F, and separators of lines and paragraphs.
      if (second === 0x81) return third === 0x9f ? 3 : 0;
      return second === 0x80 && ((third >= 0x80 && third <= 0x8a) || third === 0xa8 || third === 0xa9 || third === 0xaf)
        ? 3
        : 0;
    case 0xe3: // Ideographic space.
      return second === 0x80 && third === 0x80 ? 3 : 0;
    case 0xef: // Byte order mark.
      return second === 0xbb && third === 0xbf ? 3 : 0;
    default:
      return 0;
  }
}

/** Where a part of a text begins without the white space before it. */
export function trimStart(text: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const length = blankAt(text, at);
    if (length === 0 || at + length > end) break;
    at += length;
  }
  return at;
}

/** Where a part of a text ends without the white space after it. */
export function trimEnd(text: Uint8Array, start: number, end: number): number {
  let at = end;
  for (let length = 1; length <= 3 && at - length >= start; ) {
    if (blankAt(text, at - length) === length) [at, length] = [at - length, 1];
    else length++;
  }
  return at;
}
