/** The number of letters to insert, delete, replace or swap with a neighbor to turn one word into the other. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  rows[0] = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      rows[i]?.push(isSwap ? Math.min(least, at(i - 2, j - 2) + 1) : least);
    }
  }
  return at(one.length, other.length);
}

/** The word that begins with a shortened one, or is most like a misspelt one; undefined if none is similar. */
export function nearest(misspelt: string, words: readonly string[]): string | undefined {
  const longer = words.filter((word) => misspelt.length > 1 && word.startsWith(misspelt));
  if (longer.length > 0) return longer[0];
  const limit = Math.min(3, misspelt.length / 2);
  const [best] = words
    .map((word) => ({ word, distance: distance(misspelt.slice(0, 40), word) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.word;
}
