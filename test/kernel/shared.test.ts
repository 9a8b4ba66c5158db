import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { HEAP_BASE, type SharedExports } from '../../src/kernel/generated/shared/exports.ts';
import { SALTS } from '../shared/oracle.ts';

const module = new WebAssembly.Module(readFileSync(new URL('../../build/shared.release.wasm', import.meta.url)));
const WORK_BYTES = 2 ** 14;

/** A memory that threads share, in which places are taken one after the other. */
class Places {
  readonly memory: WebAssembly.Memory;
  #end = Math.ceil(HEAP_BASE / 64) * 64;

  constructor(bytes: number) {
    this.memory = new WebAssembly.Memory({ initial: bytes / 2 ** 16 + 1, maximum: 65535, shared: true });
  }

  take(bytes: number): number {
    const at = this.#end;
    this.#end += Math.ceil(bytes / 64) * 64;
    return at;
  }

  view(at: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, length);
  }
}

function instantiate(memory: WebAssembly.Memory): SharedExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as SharedExports;
}

it('computes in the work area of its thread only', () => {
  const places = new Places(2 ** 23);
  const { use_work, bloom_add, bloom_has } = instantiate(places.memory);
  const [work, hashes, flags] = [places.take(WORK_BYTES), places.take(16 * 1000), places.take(1000)];
  const body = places.take(2 ** 22 + 64);
  const others = places.view(0, WORK_BYTES / 4).fill(0xa5a5a5a5);
  const words = Uint32Array.from({ length: 4000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
  places.view(hashes, 4000).set(words);
  use_work(work);
  // A filter that is not small.
  bloom_add(body, 2 ** 25 + 64, 7, hashes, 500);
  expect(bloom_has(body, 2 ** 25 + 64, 7, hashes, 1000, flags)).toBe(500);
  expect(others.every((word) => word === 0xa5a5a5a5)).toBe(true);
});

const THREADS = 2;
const ROUNDS = 32;

interface Round {
  /** The body and its size. */
  readonly before: readonly number[];
  readonly hashes: number;
  readonly length: number;
}

/** Lets threads add the hashes of each round at once, and returns how many of them were new in all. */
async function freshOf(places: Places, name: string, rounds: readonly Round[]): Promise<number[]> {
  const gate = places.take(4 * rounds.length);
  const most = Math.max(...rounds.map(({ length }) => length));
  const workers = Array.from({ length: THREADS }, () => {
    const [work, flags] = [places.take(WORK_BYTES), places.take(most)];
    const { memory } = places;
    const workerData = { module, memory, work, flags, gate, threads: THREADS, name, rounds };
    return new Worker(new URL('shared-worker.mjs', import.meta.url), { workerData });
  });
  const counts = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as number[]));
  await Promise.all(workers.map((worker) => worker.terminate()));
  return rounds.map((_, round) => counts.reduce((sum, each) => sum + (each[round] ?? 0), 0));
}

// Each hash lacks one bit, so exactly one thread sets it, and is told that the key is new.

it('tells exactly one thread that a key is new: classic', async () => {
  const bits = 2 ** 17;
  const places = new Places(2 ** 23);
  const hashes = places.take(16 * bits);
  // One hash for each bit of a filter with one hash function.
  const words = places.view(hashes, 4 * bits);
  for (let bit = 0; bit < bits; bit++) words[4 * bit + 1] = bit * (2 ** 32 / bits);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    before: [places.take(bits / 8), bits, 1],
    hashes,
    length: bits,
  }));
  expect(await freshOf(places, 'bloom_add_flags', rounds)).toEqual(rounds.map(() => bits));
  const { bits_count } = instantiate(places.memory);
  expect(rounds.map(({ before }) => bits_count(before[0] ?? 0, bits / 8))).toEqual(rounds.map(() => bits));
});

it.each([0, 3, 4, 7])('tells exactly one thread that a key is new: blocked, word %i', async (word) => {
  const blocks = 2 ** 14;
  const places = new Places(2 ** 25);
  const body = places.take(32 * blocks);
  const cells = places.view(body, 8 * blocks);
  for (let i = 0; i < cells.length; i++) cells[i] = i % 8 === word ? 0 : 0xffffffff;
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    // The low half of a hash that sets the bit of this round in the word, one hash for each block.
    let low = 1;
    while (Math.imul(low, Number(SALTS[word])) >>> 27 !== round) low++;
    const hashes = places.take(16 * blocks);
    const words = places.view(hashes, 4 * blocks);
    for (let block = 0; block < blocks; block++) words.set([low, block * (2 ** 32 / blocks)], 4 * block);
    return { before: [body, blocks], hashes, length: blocks };
  });
  expect(await freshOf(places, 'blocked_add', rounds)).toEqual(rounds.map(() => blocks));
  expect(instantiate(places.memory).bits_count(body, 32 * blocks)).toBe(256 * blocks);
});
