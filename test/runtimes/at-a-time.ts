/** Runs a task for each item, some at a time, and returns their results in the order of the items. */
export async function runSome<Item, Result>(
  atATime: number,
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items.entries()];
  const runQueue = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: atATime }, runQueue));
  return results;
}
