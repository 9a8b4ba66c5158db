// Saves a large filter to a file or loads it, in a separate process, and prints how much memory that took:
// `transfer.ts write|read FILE`

import { createReadStream, openSync, writeSync } from 'node:fs';
import { BloomFilter } from '../../src/index.ts';
import { keysOf } from './saved.ts';

/** What the process prints. */
export interface Transferred {
  readonly bodyBytes: number;
  /** The memory of the process before it had a large filter. */
  readonly baseline: number;
  /** The peak memory of the process. */
  readonly peak: number;
  readonly seconds: number;
  readonly fillRatio: number;
  readonly found: number;
}

function write(file: string): BloomFilter {
  const filter = new BloomFilter({ capacity: 1_000_000_000 });
  filter.addMany(keysOf(1000));
  const descriptor = openSync(file, 'w');
  for (const chunk of filter.toChunks()) {
    for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
  }
  return filter;
}

const [, script, mode, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  new BloomFilter({ capacity: 10 }).add('the runtime is warm');
  const baseline = process.memoryUsage.rss();
  const start = performance.now();
  const filter = mode === 'write' ? write(file) : await BloomFilter.fromChunks(createReadStream(file));
  const seconds = (performance.now() - start) / 1000;
  const peak = process.resourceUsage().maxRSS * 1024;
  const found = filter.pick(keysOf(1000)).length;
  const { byteLength: bodyBytes } = filter;
  const result: Transferred = { bodyBytes, baseline, peak, seconds, fillRatio: filter.fillRatio(), found };
  console.log(JSON.stringify(result));
}
