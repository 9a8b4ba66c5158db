// Loads the filter of all names, and measures it in this browser.

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

const ASKED = 100_000;
const LENGTH = 20;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Random names, so long that none of them exists. */
function randomNames(): string[] {
  const random = new Uint8Array(LENGTH);
  return Array.from({ length: ASKED }, () => {
    crypto.getRandomValues(random);
    return Array.from(random, (value) => LETTERS[value % LETTERS.length]).join('');
  });
}

interface Measured {
  readonly asked: number;
  readonly wrong: number;
  /** The time per name, on average. */
  readonly nanoseconds: number;
}

export function measure(names: Names): Measured {
  const asked = randomNames();
  const begun = performance.now();
  let wrong = 0;
  for (const name of asked) if (names.has(name)) wrong++;
  return { asked: ASKED, wrong, nanoseconds: ((performance.now() - begun) / ASKED) * 1e6 };
}
