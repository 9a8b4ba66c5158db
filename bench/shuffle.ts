/**
 * Moves a random choice of `count` elements to the front, in place. All choices and orders are equally likely (Fisher
 * and Yates).
 *
 * @param random returns a random whole number below its argument
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
