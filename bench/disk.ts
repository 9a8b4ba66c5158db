// Builds a sharded fuse filter or a map of integer keys on a disk, of ascending and of descending keys, and of these in
// several threads; in memory, if the keys fit; and loads it. Each is a process of its own, whose memory the system counts.

import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchmarkError, benchmark, count, flag, type Run } from './shared/cli.ts';
import { integer, tableOf } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';
import { measure } from './shared/processes.ts';

/** How many absent keys are looked up. */
const TRIALS = 20_000_000;
/** The most keys that a filter is also built of in memory. */
const MOST_IN_MEMORY = 20_000_000;

const options = {
  keys: count('how many keys', 2 ** 32 - TRIALS, '1e7'),
  bits: count('the number of bits of a fingerprint', 32, '8'),
  threads: count('how many threads the third one is built in', 64, '2'),
  values: flag('build a FuseMap with values of 8 bits in place of a ShardedFuseFilter'),
};

/** The beginning of every program. `batch` is the number of keys of one call. */
const START = `
  import { createReadStream } from 'node:fs';
  import { buildOnDisk } from 'bloomery/disk';
  import { saveFile } from 'bloomery/file';
  import { FuseMap } from 'bloomery/fuse-map';
  import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
  const { keys, bits, threads, values, file, folder, trials, isReversed } = JSON.parse(process.argv[1]);
  const Class = values ? FuseMap : ShardedFuseFilter;
  const batch = 2 ** 20;
  const integers = (from, length) => {
    const some = new Uint32Array(length);
    for (let i = 0; i < length; i++) some[i] = from + i;
    return some;
  };
`;

const ON_DISK = `${START}
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
  await buildOnDisk(Class, fill, file, { fingerprintBits: bits, folder, threads });
`;

const IN_MEMORY = `${START}
  const all = integers(0, keys);
  const options = { fingerprintBits: bits };
  await saveFile(values ? FuseMap.from(all, Uint8Array.from(all), options) : Class.from(all, options), file);
`;

const LOAD = `${START}
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
  console.log(JSON.stringify({ hits, shards: filter.shards }));
`;

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

const run: Run = benchmark(options, async ({ keys, bits, threads, values }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-disk-'));
  try {
    const [file, printed] = [join(folder, 'filter'), join(folder, 'printed')];
    const rowOf = async (name: string, program: string, way: object = {}): Promise<string[]> => {
      const job = JSON.stringify({ keys, bits, values, file, folder, trials: TRIALS, ...way });
      const { seconds, peak } = await measure(name, ['--input-type=module', '--eval', program, job], printed);
      return [name, `${seconds.toFixed(1)} s`, peak > 0 ? `${(peak / 1e6).toFixed(0)} MB` : '–'];
    };
    const ways: [name: string, program: string, way?: object][] = [
      ['built, ascending', ON_DISK, { isReversed: false, threads: 1 }],
      ['built, descending', ON_DISK, { isReversed: true, threads: 1 }],
      [`built, descending, ${threads} threads`, ON_DISK, { isReversed: true, threads }],
      ...(keys > MOST_IN_MEMORY ? [] : [['built in memory', IN_MEMORY] as [string, string]]),
    ];
    const digests = new Set<string>();
    const rows: string[][] = [];
    for (const way of ways) {
      rows.push(await rowOf(...way));
      digests.add(await digestOf(file));
    }
    if (digests.size > 1) throw new BenchmarkError('the files differ');
    rows.push(await rowOf('loaded, and asked', LOAD));
    const { hits, shards }: { hits: number; shards: number } = JSON.parse(readFileSync(printed, 'utf8'));
    const { size } = statSync(file);
    return [
      `# bloomery: ${integer.format(keys)} keys in a ${values ? 'FuseMap' : 'ShardedFuseFilter'}, built on a disk`,
      describeMachine(),
      tableOf(['', 'time', 'memory'], rows),
      `${shards} shards, ${integer.format(size)} bytes, ${((8 * size) / keys).toFixed(3)} bits per key. ` +
        `${integer.format(hits)} of ${integer.format(TRIALS)} absent keys look present: ` +
        `${((hits / TRIALS) * 2 ** bits).toFixed(4)} times the promise. All files: SHA-256 ${[...digests][0]}.`,
    ].join('\n\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
export default run;
