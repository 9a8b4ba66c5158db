// Measures how long a stream of lines blocks the event loop: a chunk of 64 MiB at default settings, on both engines.
//
//   npm run bench:event-loop    prints a Markdown table; takes some minutes
//
// The longest step is measured in three ways: by a timer of 1 ms, by Node's monitorEventLoopDelay, and in processor
// time of this process, garbage collection included. The first two include time that other programs take on a busy
// machine.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { addLines, BloomFilter, dedupeLines, type GrowingFilter, lines, omitLines } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { drain, sourceOf } from '../test/stream-tools.ts';
import { planOf } from './plan.ts';

const CHUNK_BYTES = 64 * 2 ** 20;
const CAPACITY = 10_000_000;
const ROUNDS = 2;
const USAGE = 'Usage: npm run bench:event-loop';

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

/** A name, a run with a stream and a run without one; both runs must return the same number. */
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

interface Measured {
  readonly seconds: number;
  readonly longest: number;
  readonly monitored: number;
  readonly processor: number;
  readonly result: number;
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
  const seconds = (performance.now() - begun) / 1000;
  look();
  await new Promise((resolve) => setTimeout(resolve, 5));
  monitor.disable();
  clearInterval(timer);
  return { seconds, longest, monitored: monitor.max / 1e6, processor, result };
}

async function compare(): Promise<void> {
  console.log(
    '| filter | lines | function | in one call, ms | as a stream, ms | longest step, ms | by the monitor, ms | processor time, ms |',
  );
  console.log('|---|---|---|---:|---:|---:|---:|---:|');
  let longest = 0;
  for (const [kind, make] of makers) {
    for (const [what, text] of texts) {
      for (const [verb, stream, whole] of ways) {
        const rounds: (Measured & { step: number })[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const alone = make();
          const begun = performance.now();
          const expected = whole(alone, text);
          const step = performance.now() - begun;
          alone.dispose();
          const filter = make();
          const measured = await measure(() => stream(filter, text));
          filter.dispose();
          if (measured.result !== expected) throw new Error(`${verb}, ${what}: ${measured.result}, not ${expected}`);
          rounds.push({ ...measured, step });
        }
        const best = (of: (round: Measured & { step: number }) => number): number => Math.min(...rounds.map(of));
        const worst = (of: (round: Measured) => number): number => Math.max(...rounds.map(of));
        longest = Math.max(
          longest,
          worst((round) => round.longest),
        );
        const cells = [best(({ step }) => step), best(({ seconds }) => 1000 * seconds)].map((ms) => ms.toFixed(0));
        const steps = [
          worst((round) => round.longest),
          worst((round) => round.monitored),
          worst((round) => round.processor),
        ].map((ms) => ms.toFixed(1));
        console.log(`| ${[kind, what, verb, ...cells, ...steps].join(' | ')} |`);
      }
    }
  }
  console.log(
    `\nLongest step overall: ${longest.toFixed(1)} ms. Times are the best of ${ROUNDS} rounds, steps the longest.`,
  );
}

const plan = planOf(USAGE, (args) => {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  return values.help ? undefined : compare;
});
await plan?.();
