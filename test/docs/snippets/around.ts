// What esbuild puts around a snippet: these exports take the place of global functions.

import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { BloomFilter } from 'bloomery';

const files = new Map<string, () => BodyInit>([
  ['https://example.org/urls.txt', () => 'https://example.org/a\nhttps://example.org/b\nhttps://example.org/a\n'],
  ['https://example.org/names.bloom', () => BloomFilter.from(['ada']).toBytes()],
]);

/** Answers for the addresses that snippets read from. */
export async function fetch(url: string): Promise<Response> {
  const file = files.get(url);
  ok(file, `nothing answers for ${url}`);
  return new Response(file());
}

/** Checks a value against the answer in a comment. A number may have more decimals than the answer. */
export function expectAnswer(value: unknown, answer: string): void {
  if (typeof value === 'number') {
    strictEqual(value.toFixed(answer.split('.')[1]?.length ?? 0), answer.replaceAll(',', ''));
  } else if (value instanceof Uint8Array) {
    strictEqual(`Uint8Array [${value.join(', ')}]`, answer);
  } else deepStrictEqual(value, new Function(`return ${answer}`)());
}
