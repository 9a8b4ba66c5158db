// Builds a sharded fuse filter or a map of integer keys on a disk, of ascending and of descending keys, and of these in
// several threads; and loads it. Each is a process of its own, whose memory the system counts.

import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchmarkError, benchmark, count, flag, type Run, status } from './shared/cli.ts';
import { integer, tableOf } from './shared/figures.ts';
import { built, type Measured, measure } from './shared/processes.ts';

/** The keys of one call of `addMany`. */
const BATCH = 2 ** 20;
/** How many absent keys are looked up. */
const TRIALS = 20_000_000;

const options = {
  keys: count('how many keys', 2 ** 32 - TRIALS, '1e7'),
  bits: count('the number of bits of a fingerprint', 32, '8'),
  threads: count('how many threads the third one is built in', 64, '2'),
  values: flag('build a FuseMap with values of 8 bits in place of a ShardedFuseFilter'),
};

interface Loaded extends Measured {
  readonly shards: number;
  readonly hits: number;
}

const BUILD = `
  const { buildOnDisk } = await import(disk);
  const { [name]: Class } = await import(entry);
  const fill = (sink) => {
    const starts = Array.from({ length: Math.ceil(keys / batch) }, (_, i) => batch * i);
    if (isReversed) starts.reverse();
    for (const start of starts) {
      const some = integers(start, Math.min(batch, keys - start));
      if (isReversed) some.reverse();
      // A filter leaves the values alone.
      sink.addMany(some, Uint8Array.from(some));
    }
  };
  const result = await buildOnDisk(Class, fill, file, { fingerprintBits: bits, folder, threads });
`;

const LOAD = `
  const { createReadStream } = await import('node:fs');
  const { [name]: Class } = await import(entry);
  const filter = await Class.fromChunks(createReadStream(file, { highWaterMark: 2 ** 20 }));
  for (let start = 0; start < keys; start += 97 * batch) {
    const some = integers(start, Math.min(batch, keys - start));
    if (filter.omit(some).length > 0) throw new Error('a key was not found');
    if (filter.getMany?.(some).some((value, i) => value !== some[i] % 256)) throw new Error('a value is wrong');
  }
  let hits = 0;
  for (let done = 0; done < trials; done += batch) {
    hits += filter.pick(integers(keys + done, Math.min(batch, trials - done))).length;
  }
  const result = { hits, shards: filter.shards };
`;

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

const shown = ({ seconds, memory }: Measured): string[] => [
  `${seconds.toFixed(0)} s`,
  `${(memory / 1e6).toFixed(0)} MB`,
];

const run: Run = benchmark(options, async ({ keys, bits, threads, values }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-disk-'));
  try {
    const names = {
      ...{ disk: built('entries/disk.js'), entry: built(`entries/${values ? 'fuse-map' : 'sharded-fuse'}.js`) },
      name: values ? 'FuseMap' : 'ShardedFuseFilter',
      ...{ keys, bits, batch: BATCH, folder, trials: TRIALS },
    };
    const ways = [
      { name: 'ascending', isReversed: false, threads: 1 },
      { name: 'descending', isReversed: true, threads: 1 },
      { name: `descending, ${threads} threads`, isReversed: true, threads },
    ];
    const file = join(folder, 'filter');
    const digests = new Set<string>();
    const builds: string[][] = [];
    for (const { name, ...way } of ways) {
      status(`building, ${name}`);
      const measured = measure<object>(BUILD, { ...names, ...way, file });
      builds.push([`built, ${name}`, ...shown(measured)]);
      digests.add(await digestOf(file));
    }
    if (digests.size > 1) throw new BenchmarkError('the files differ');
    const { size } = statSync(file);
    status('looking up');
    const loaded = measure<Loaded>(LOAD, { ...names, file });
    const rate = loaded.hits / TRIALS;
    return [
      `# bloomery: ${integer.format(keys)} keys in a ${names.name}, built on a disk`,
      '',
      tableOf(['', 'time', 'memory'], [...builds, ['loaded, and asked', ...shown(loaded)]]),
      '',
      `${loaded.shards} shards, ${integer.format(size)} bytes, ${((8 * size) / keys).toFixed(3)} bits per key.`,
      `${integer.format(loaded.hits)} of ${integer.format(TRIALS)} absent keys look present: ${(rate * 2 ** bits).toFixed(4)} times the promise.`,
      `All files: SHA-256 ${[...digests][0]}.`,
    ].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
export default run;
