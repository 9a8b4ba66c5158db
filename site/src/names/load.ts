// Loads the filter of all names.

import url from '../../build/data/names.bloom?url';
import text from '../../build/data/names.json?raw';
import type { NamesFacts } from '../../tools/data.ts';
import { chooseEngine, engineName, loadFilter } from '../engine.ts';

export const facts: NamesFacts = JSON.parse(text);

/** The filter, with the facts that the page shows. */
export interface Names {
  readonly engine: 'wasm' | 'js';
  has(name: string): boolean;
}

/** A stream that reports how many bytes have passed through it. */
function counter(onProgress: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
}

/**
 * @param onProgress called with the number of bytes that have arrived
 * @throws Error if the file cannot be loaded
 */
export async function loadNames(onProgress: (bytes: number) => void): Promise<Names> {
  const [engine, response] = await Promise.all([chooseEngine(), fetch(url)]);
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const filter = await loadFilter(engine, response.body.pipeThrough(counter(onProgress)));
  return { engine: engineName(engine), has: (name) => filter.has(name) };
}
