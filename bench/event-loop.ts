// Measures how long a stream of lines blocks the event loop: a chunk of 64 MiB at default settings, on both engines.
//
// The longest step is measured in three ways: by a timer of 1 ms, by Node's monitorEventLoopDelay, and in processor
// time of this process, garbage collection included. The first two include time that other programs take on a busy
// machine.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addLines, BloomFilter, dedupeLines, type GrowingFilter, lines, omitLines } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { drain, sourceOf } from '../test/shared/stream-tools.ts';
import { benchmark, type Run, status } from './shared/cli.ts';
import { tableOf } from './shared/figures.ts';

const CHUNK_BYTES = 64 * 2 ** 20;
const CAPACITY = 10_000_000;
const ROUNDS = 2;

/** A text of `length` bytes, made of `line(0)`, `line(1)`, `line(2)` … */
function textOf(length: number, line: (i: number) => string): Uint8Array {
  const bytes = Buffer.alloc(length, '\n');
  for (let at = 0, i = 0; at < length; ) at += bytes.write(line(i++), at);
  return bytes;
}

const texts: [string, Uint8Array][] = [
  ['URLs', textOf(CHUNK_BYTES, (i) => `https://example.org/${Math.imul(i, 0x9e3779b1) >>> 0}/page\n`)],
  ['numbers', textOf(CHUNK_BYTES, (i) => `${Math.imul(i, 0x9e3779b1) >>> 8}\n`)],
  ['empty lines', Buffer.alloc(CHUNK_BYTES, '\n')],
];

const makers: [string, () => GrowingFilter][] = [
  ['classic', () => new BloomFilter({ capacity: CAPACITY })],
  ['classic, plain JavaScript', () => new JsBloomFilter({ capacity: CAPACITY })],
];

/**
 * The ways to read a text: a name, a run with a stream, and a run without one. Both runs must return the same number.
 */
const ways: [
  string,
  (filter: GrowingFilter, text: Uint8Array) => Promise<number>,
  (filter: GrowingFilter, text: Uint8Array) => number,
][] = [
  [
    'dedupeLines',
    (filter, text) => drain(sourceOf([text]).pipeThrough(dedupeLines(filter))),
    (filter, text) => filter.dedupe(lines(text)).bytes.length,
  ],
  [
    'omitLines',
    (filter, text) => drain(sourceOf([text]).pipeThrough(omitLines(filter))),
    (filter, text) => filter.omit(lines(text)).bytes.length,
  ],
  [
    'addLines',
    async (filter, text) => (await addLines(filter, sourceOf([text]))).lines,
    (filter, text) => {
      filter.addMany(lines(text));
      return lines(text).count();
    },
  ],
];

/** The times of a stream in milliseconds, and its result. */
interface Measured {
  readonly stream: number;
  /** The longest step, measured in three ways. */
  readonly longest: number;
  readonly monitored: number;
  readonly processor: number;
  readonly result: number;
}

interface Compared extends Measured {
  /** The time of the same work in one call. */
  readonly call: number;
}

async function measure(run: () => Promise<number>): Promise<Measured> {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  let longest = 0;
  let processor = 0;
  let last = performance.now();
  let lastUsage = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    const { user, system } = process.cpuUsage(lastUsage);
    processor = Math.max(processor, (user + system) / 1000);
    lastUsage = process.cpuUsage();
  };
  // Gives the event loop a turn, so that earlier work is not measured.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const timer = setInterval(look, 1);
  monitor.enable();
  const begun = performance.now();
  last = begun;
  lastUsage = process.cpuUsage();
  const result = await run();
  const stream = performance.now() - begun;
  look();
  await new Promise((resolve) => setTimeout(resolve, 5));
  monitor.disable();
  clearInterval(timer);
  return { stream, longest, monitored: monitor.max / 1e6, processor, result };
}

type Way = (typeof ways)[number];

/** Adds a text to a new filter in one call, and to another as a stream. Throws an Error if the results differ. */
async function compare([verb, stream, whole]: Way, make: () => GrowingFilter, text: Uint8Array): Promise<Compared> {
  const alone = make();
  const begun = performance.now();
  const expected = whole(alone, text);
  const call = performance.now() - begun;
  alone.dispose();
  const filter = make();
  const measured = await measure(() => stream(filter, text));
  filter.dispose();
  if (measured.result !== expected) throw new Error(`${verb}: ${measured.result}, not ${expected}`);
  return { ...measured, call };
}

const run: Run = benchmark({}, async () => {
  const rows: string[][] = [];
  let longest = 0;
  for (const [kind, make] of makers) {
    for (const [what, text] of texts) {
      for (const way of ways) {
        const [verb] = way;
        status(`${kind}, ${what}, ${verb} …`);
        const rounds: Compared[] = [];
        for (let round = 0; round < ROUNDS; round++) rounds.push(await compare(way, make, text));
        const best = (of: keyof Compared): string => Math.min(...rounds.map((round) => round[of])).toFixed(0);
        const worst = (of: keyof Compared): string => Math.max(...rounds.map((round) => round[of])).toFixed(1);
        longest = Math.max(longest, ...rounds.map((round) => round.longest));
        const steps = [worst('longest'), worst('monitored'), worst('processor')];
        rows.push([kind, what, verb, best('call'), best('stream'), ...steps]);
      }
    }
  }
  const texted = ['filter', 'lines', 'function'];
  const figures = ['in one call', 'as a stream', 'longest step', 'by the monitor', 'processor time'];
  return [
    tableOf([...texted, ...figures.map((name) => `${name}, ms`)], rows, texted),
    `Longest step overall: ${longest.toFixed(1)} ms. Times are the best of ${ROUNDS} rounds, steps the longest.`,
  ].join('\n\n');
});
export default run;
