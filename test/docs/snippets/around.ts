// What esbuild puts around a snippet: these exports take the place of global functions.

import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { BlockedBloomFilter, BloomFilter } from 'bloomery';

const files = new Map<string, () => BodyInit>([
  ['https://example.org/urls.txt', () => 'https://example.org/a\nhttps://example.org/b\nhttps://example.org/a\n'],
  ['https://example.org/names.bloom', () => BloomFilter.from(['ada']).toBytes()],
  ['https://example.org/leaked.bloom', () => BlockedBloomFilter.from(['password1']).toBytes()],
]);

/** Answers for the addresses that snippets read from, also for ranges of bytes. */
export async function fetch(url: string, init: RequestInit = {}): Promise<Response> {
  const file = files.get(url);
  ok(file, `nothing answers for ${url}`);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('range') ?? '') ?? [];
  if (first === undefined) return new Response(file());
  const bytes = new Uint8Array(await new Response(file()).arrayBuffer());
  const range = bytes.subarray(Number(first), Number(last) + 1);
  const place = `bytes ${first}-${Number(first) + range.length - 1}/${bytes.length}`;
  return new Response(range, { status: 206, headers: { etag: '"1"', 'content-range': place } });
}

// For the package, which is not in the program.
globalThis.fetch = fetch as typeof globalThis.fetch;

/** Checks a value against the answer in a comment. A number may have more decimals than the answer. */
export function expectAnswer(value: unknown, answer: string): void {
  if (typeof value === 'number') {
    strictEqual(value.toFixed(answer.split('.')[1]?.length ?? 0), answer.replaceAll(',', ''));
  } else if (value instanceof Uint8Array) {
    strictEqual(`Uint8Array [${value.join(', ')}]`, answer);
  } else deepStrictEqual(value, new Function(`return ${answer}`)());
}
