// What a page pays that ships a filter and asks it: code, file, the time to load it, and lookups.

import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { BinaryFuseFilter as JsBinaryFuseFilter } from 'bloomery/fuse/js';
import { FuseLookup } from 'bloomery/lookup';
import { weightOf } from '../tools/weights.ts';
import { benchmark, counts, type Run, rounds, status } from './shared/cli.ts';
import { integer, nanoseconds, percent, spreadOf, tableOf, threeDigits } from './shared/figures.ts';
import { type KeySet, requireSet } from './shared/keys.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { ownLoops } from './shared/own-loops.ts';

const require = createRequire(import.meta.url);

const ERROR_RATE = 0.001;

interface Filter {
  has(key: string): boolean;
}

/** A way to ship a list. */
interface Way {
  readonly name: string;
  /** The code of the page. */
  readonly page: string;
  /** What the server sends: bytes, or JSON as text. */
  pack(keys: readonly string[]): Uint8Array | string;
  load(file: Uint8Array | string): Filter;
}

function packFuse(keys: readonly string[]): Uint8Array {
  return BinaryFuseFilter.from(keys, { errorRate: ERROR_RATE }).toBytes();
}

function fuseWay(entry: string, Class: { readonly name: string; fromBytes(bytes: Uint8Array): Filter }): Way {
  return {
    name: `${Class.name} of ${entry}`,
    page: `import { ${Class.name} } from '${entry}'; export const load = (file) => ${Class.name}.fromBytes(file);`,
    pack: packFuse,
    load: (file) => Class.fromBytes(file as Uint8Array),
  };
}

function versionOf(name: string): string {
  const { version }: { version: string } = require(
    new URL(`node_modules/${name}/package.json`, import.meta.url).pathname,
  );
  return `${name} ${version}`;
}

function bloomFilters(): Way {
  interface Saving extends Filter {
    saveAsJSON(): object;
  }
  interface Class {
    from(keys: readonly string[], errorRate: number): Saving;
    fromJSON(json: object): Filter;
  }
  const name = 'bloom-filters';
  const { BloomFilter }: { BloomFilter: Class } = require(name);
  return {
    name: versionOf(name),
    page: `import { BloomFilter } from '${name}'; export const load = (text) => BloomFilter.fromJSON(JSON.parse(text));`,
    pack: (keys) => JSON.stringify(BloomFilter.from(keys, ERROR_RATE).saveAsJSON()),
    load: (file) => BloomFilter.fromJSON(JSON.parse(file as string)),
  };
}

/** The filter of js-libp2p has no form for saving, so its fields are sent. */
async function libp2p(): Promise<Way> {
  interface Fields {
    readonly seeds: readonly number[];
    readonly bits: number;
  }
  interface Growing extends Filter, Fields {
    readonly buffer: Uint8Array;
    add(key: string): void;
  }
  interface Module {
    readonly BloomFilter: new (options: Fields) => Growing;
    createBloomFilter(count: number, errorRate: number): Growing;
  }
  const name: string = '@libp2p/utils';
  const { BloomFilter, createBloomFilter }: Module = await import(name);
  return {
    name: versionOf(name),
    page: `import { BloomFilter } from '${name}';
      export const load = (text) => {
        const { base64, ...fields } = JSON.parse(text);
        const filter = new BloomFilter(fields);
        filter.buffer.set(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
        return filter;
      };`,
    pack(keys) {
      const filter = createBloomFilter(keys.length, ERROR_RATE);
      for (const key of keys) filter.add(key);
      const { seeds, bits, buffer } = filter;
      return JSON.stringify({ seeds, bits, base64: Buffer.from(buffer).toString('base64') });
    },
    load(file) {
      const { base64, ...fields }: Fields & { base64: string } = JSON.parse(file as string);
      const filter = new BloomFilter(fields);
      filter.buffer.set(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
      return filter;
    },
  };
}

const stringsOf = ({ present }: KeySet): readonly string[] => Array.from(present.each() as ArrayLike<string>);

/** Loading a file, and lookups of present and of absent keys. A load that loses a key ends the run. */
function callsFor({ name, load }: Way, file: Uint8Array | string, { again, absent }: KeySet): Calls[] {
  const loops = ownLoops<string, Filter>(name);
  const filter = load(file);
  const first = (again.each() as ArrayLike<string>)[0] as string;
  const lookups = ([again, absent] as const).map((batch): Calls => {
    const label = `${name}, ${batch === again ? 'present' : 'absent'}`;
    const run = (): number => loops.hasEach(filter, batch.each() as ArrayLike<string>);
    return { label, keys: batch.count, least: batch === again ? batch.count : 0, prepare: batch.renew, run };
  });
  const loading = {
    label: `${name}, loading`,
    keys: 1,
    least: 1,
    prepare() {},
    run: () => Number(load(file).has(first)),
  };
  return [loading, ...lookups];
}

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

async function rowsFor(ways: readonly Way[], keys: number, rounds: number): Promise<string[][]> {
  const set = requireSet('names', keys);
  const rows: string[][] = [];
  for (const way of ways) {
    status(`${way.name}, ${integer.format(keys)} keys: packing …`);
    const file = way.pack(stringsOf(set));
    const timings = timeCalls(callsFor(way, file, set), rounds, `${way.name}, ${integer.format(keys)} keys`);
    const [load = 0, present = 0, absent = 0] = timings.map(({ rounds: all }) => spreadOf(all).median);
    rows.push([
      way.name,
      integer.format(keys),
      kilobytes(await weightOf({ contents: way.page, resolveDir: 'bench' })),
      kilobytes(gzipSync(file, { level: 9 }).length),
      threeDigits.format(load / 1e6),
      nanoseconds(present),
      nanoseconds(absent),
      percent((timings[2]?.counted ?? 0) / keys),
    ]);
  }
  return rows;
}

const options = {
  keys: counts('how many keys to ship', 1e6, '1e4,1e5'),
  rounds: rounds(9),
};

const run: Run = benchmark(options, async ({ keys, rounds }) => {
  const ours = [fuseWay('bloomery/lookup', FuseLookup), fuseWay('bloomery/fuse', BinaryFuseFilter)];
  const ways = [...ours, fuseWay('bloomery/fuse/js', JsBinaryFuseFilter), bloomFilters(), await libp2p()];
  const rows: string[][] = [];
  for (const count of keys) rows.push(...(await rowsFor(ways, count, rounds)));
  const header = ['', 'keys', 'code, KB', 'file, KB', 'load, ms', 'ns present', 'ns absent', 'false positives, %'];
  return [
    '# bloomery: a list that is shipped to pages',
    describeMachine(),
    `npm names, error rate ${100 * ERROR_RATE} %, medians of ${rounds} rounds, one call of \`has\` for each key. The code ` +
      'that loads a file and asks it, bundled and minified, and the file itself are gzipped. Files of bloomery are bytes, ' +
      'the others JSON.',
    tableOf(header, rows),
  ].join('\n\n');
});
export default run;
