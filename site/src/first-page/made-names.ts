// Names that look like those of packages, and are made so fast that a list of millions need not be fetched.

const WORDS =
  'react vue node express data stream parse cache store query router logger config schema build test server client worker image color date token crypto format markdown event plugin editor search module loader'.split(
    ' ',
  );

/** The name with this number. No two numbers have the same. */
function madeName(i: number): string {
  const mixed = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  return `${WORDS[mixed >>> 27]}-${WORDS[(mixed >>> 22) & 31]}-${i.toString(36)}`;
}

/** Names as a program has them that has parsed a list: each a string of its own. */
export function madeNames(first: number, count: number): string[] {
  const names = Array.from({ length: count }, (_, i) => madeName(first + i));
  return JSON.parse(`["${names.join('","')}"]`);
}
