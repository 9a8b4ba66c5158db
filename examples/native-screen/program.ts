// What `measure.ts` runs in Hermes.

import { openNames } from './known-names.ts';

/** The file of taken names, in hexadecimal, and their number. `measure.ts` writes both before the bundle. */
declare const hex: string;
declare const TAKEN: number;
declare const print: (line: string) => void;

const saved = Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
const download = async () => ({ ok: true, status: 200, arrayBuffer: async () => saved.buffer });

async function run(): Promise<void> {
  const start = Date.now();
  const names = await openNames(download);
  const loaded = Date.now();
  let missed = 0;
  let free = 0;
  for (let i = 0; i < TAKEN; i++) {
    if (names.isFree(` Name-${i}`)) missed++;
    if (names.isFree(`free-${i}`)) free++;
  }
  const answered = Date.now();
  print(JSON.stringify({ missed, free, load: loaded - start, answer: (answered - loaded) / (2 * TAKEN) }));
}

run().catch((error: unknown) => print(String(error)));
