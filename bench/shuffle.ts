/**
 * Shuffles the first `count` in place: a choice of them at random, each order as likely as any other (Fisher and Yates).
 *
 * @param random gives whole numbers below its argument
 */
export function shuffle<T extends { [index: number]: K; length: number }, K>(
  list: T,
  random: (limit: number) => number,
  count: number = list.length,
): T {
  for (let i = 0; i < count; i++) {
    const j = i + random(list.length - i);
    [list[i], list[j]] = [list[j] as K, list[i] as K];
  }
  return list;
}
