// The domains of the package disposable-email-domains, shipped in four ways: what is sent, and how long loading takes.
//
//   npm run example examples/blocklist/measure.ts

import { createRequire } from 'node:module';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row } from '../report.ts';
import { pack, unpack } from './blocklist.ts';

const ERROR_RATE = 0.001;
const ROUNDS = 15;

if (process.argv.length > 2) {
  console.error('This takes no arguments.');
  process.exit(2);
}

const names: readonly string[] = createRequire(import.meta.url)('disposable-email-domains');
const random = seededRandom(1970);
const listed = new Set(names);
const others = Array.from({ length: 200_000 }, () => `${random().toString(36).slice(2)}.example`).filter(
  (name) => !listed.has(name),
);

type Ask = (name: string) => boolean;

/** A way to ship the list. */
interface Way {
  readonly label: string;
  readonly file: Uint8Array<ArrayBuffer>;
  load(file: Uint8Array<ArrayBuffer>): Ask | Promise<Ask>;
}

const text = new TextEncoder().encode(names.join('\n'));
const textOf = (file: Uint8Array): Ask => {
  const set = new Set(new TextDecoder().decode(file).split('\n'));
  return (name) => set.has(name);
};
const ways: readonly Way[] = [
  { label: 'BinaryFuseFilter', file: pack(names), load: (file) => unpack(new Response(file)) },
  {
    label: 'BloomFilter',
    file: BloomFilter.from(names, { errorRate: ERROR_RATE }).toBytes(),
    async load(file) {
      const filter = await BloomFilter.fromChunks(new Response(file));
      return (name) => filter.has(name);
    },
  },
  {
    label: 'the list, gzipped',
    file: new Uint8Array(gzipSync(text, { level: 9 })),
    load: (file) => textOf(gunzipSync(file)),
  },
  { label: 'the list', file: text, load: textOf },
];

/** In each round, each way comes once, in turns. */
const milliseconds = ways.map((): number[] => []);
const asks: Ask[] = [];
for (let round = 0; round < ROUNDS; round++) {
  for (const i of ways.keys()) {
    const at = (i + round) % ways.length;
    const { file, load } = ways[at] as Way;
    const start = performance.now();
    const ask = await load(file);
    // The first answer counts: a Set is made of strings that were not looked at yet.
    ask(names[0] as string);
    milliseconds[at]?.push(performance.now() - start);
    asks[at] = ask;
  }
}

console.log(`${integer(names.length)} domains in a list, and ${integer(others.length)} others`);
heading('What is sent');
for (const { label, file } of ways)
  row(label, integer(file.length), `${((8 * file.length) / names.length).toFixed(1)} bits per name`);
heading('To load it');
for (const [i, { label }] of ways.entries()) {
  const sorted = (milliseconds[i] as number[]).sort((a, b) => a - b);
  const [least, middle, most] = [0, ROUNDS >> 1, ROUNDS - 1].map((at) => (sorted[at] as number).toFixed(2));
  row(label, `${middle} ms`, `${least} to ${most} ms, ${ROUNDS} times`);
}
heading('Answers');
for (const [i, { label }] of ways.entries()) {
  const ask = asks[i] as Ask;
  const missed = names.filter((name) => !ask(name)).length;
  const asked = others.filter(ask).length;
  row(label, integer(missed), `missed; of the others, ${percent(asked / others.length)} look listed`);
  must(missed === 0, `${label} finds every name`);
}
row('the filter as a file, to the gzipped list', percent((ways[0] as Way).file.length / (ways[2] as Way).file.length));
must(Buffer.compare(pack([...names].reverse()), (ways[0] as Way).file) === 0, 'the order of the names does not matter');
