// Builds a filter of the lines of a file, with `addLines` or with `buildParallel`, and writes it to stdout.

import { createReadStream, writeSync } from 'node:fs';
import { addLines, BlockedBloomFilter, BloomFilter } from 'bloomery';
import { buildParallel } from 'bloomery/parallel';
import { WideBlockedBloomFilter } from 'bloomery/wide';

const CHUNK_BYTES = 256 * 1024;

const [path = '', kind, capacity, threads] = process.argv.slice(2);
const Class = [BloomFilter, BlockedBloomFilter, WideBlockedBloomFilter].find((each) => each.kind === kind);
if (Class === undefined) throw new RangeError(`no class has the kind ${kind}`);
const options = { capacity: Number(capacity), errorRate: kind === 'wide' ? 1e-6 : 0.01 };

let filter: InstanceType<typeof Class>;
if (threads === '1') {
  filter = new Class(options);
  await addLines(filter, createReadStream(path, { highWaterMark: CHUNK_BYTES }));
} else {
  filter = await buildParallel(Class as typeof BloomFilter, [path], { ...options, threads: Number(threads) });
}
for (const chunk of filter.toChunks()) for (let at = 0; at < chunk.length; ) at += writeSync(1, chunk, at);
