// What esbuild puts around a snippet: these exports take the place of global functions.

import { deepStrictEqual, strictEqual } from 'node:assert';

/** Answers for the one address that snippets read from. */
export async function fetch(url: string): Promise<Response> {
  strictEqual(url, 'https://example.org/urls.txt');
  return new Response('https://example.org/a\nhttps://example.org/b\nhttps://example.org/a\n');
}

/** Checks a value against the answer in a comment. A number may have more decimals than the answer. */
export function expectAnswer(value: unknown, answer: string): void {
  if (typeof value === 'number') {
    strictEqual(value.toFixed(answer.split('.')[1]?.length ?? 0), answer.replaceAll(',', ''));
  } else if (value instanceof Uint8Array) {
    strictEqual(`Uint8Array [${value.join(', ')}]`, answer);
  } else deepStrictEqual(value, new Function(`return ${answer}`)());
}
