// Must compile in a project for Node: with the types of each version of Node, and with or without those of browsers.

import { Blob as NodeBlob, File as NodeFile } from 'node:buffer';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { pipeline as callbackPipeline } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSource } from 'bloomery';
import { addLines, BloomFilter, dedupeLines, fileStream, omitLines, pickLines, useKernel } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { CuckooFilter, useCuckooKernel } from 'bloomery/cuckoo';
import cuckooKernel from 'bloomery/cuckoo/kernel.wasm';
import { diff, patch } from 'bloomery/delta';
import { buildOnDisk } from 'bloomery/disk';
import { fileSource, saveFile } from 'bloomery/file';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { FuseMap } from 'bloomery/fuse-map';
import { FilterHandover, guard } from 'bloomery/guard';
import { hashKeys } from 'bloomery/hash';
import { hashKeys as jsHashKeys } from 'bloomery/hash/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import kernel from 'bloomery/kernel.wasm';
import { generateSecret, keyed, keyedHashKeys, useKeyedKernel } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import keyedKernel from 'bloomery/keyed/kernel.wasm';
import { loadAny } from 'bloomery/load';
import { blobSource, type OpenedFilter, openFilter, type RangeSource, SourceError, urlSource } from 'bloomery/open';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SharedBloomFilter, type SharedHandle } from 'bloomery/shared';
import { type DifferenceView, difference, type FilterView, intersection, union } from 'bloomery/views';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';

useKernel(kernel);
useCuckooKernel(cuckooKernel);
useKeyedKernel(keyedKernel);
const classes = [BloomFilter, JsWideBlockedBloomFilter];
const wide: WideBlockedBloomFilter = WideBlockedBloomFilter.from(['a'], { errorRate: 1e-6 });
const fuse: BinaryFuseFilter = BinaryFuseFilter.from(['a'], { fingerprintBits: 8 });
const secret: Uint8Array<ArrayBuffer> = generateSecret();
export const flags: Uint8Array<ArrayBuffer> = fuse.hasMany(jsHashKeys(wide.pick(hashKeys(['a'], { seed: 0 }))));
const KeyedCuckoo: typeof CuckooFilter = keyed(CuckooFilter, secret);
const cuckoo: CuckooFilter = KeyedCuckoo.from(['a']);
export const keyedJs: BloomFilter = new (jsKeyed(JsBloomFilter, secret))({ capacity: 1 });
export const keyedFlags: Uint8Array<ArrayBuffer> = fuse.hasMany(keyedHashKeys(secret)(['a']));

const { BloomFilter: Chosen, lines } = await chooseEngine();
export const chosen: BloomFilter = Chosen.from(lines(wide.toBytes()));
export const saving: Promise<void> = saveFile(chosen, 'chosen.bloom').then(() => saveFile(fuse, new URL('file:///f')));
const views: FilterView[] = [union(wide, chosen), intersection(fuse, chosen)];
export const view: DifferenceView = difference(wide, views[0] as FilterView);
export const streams: TransformStream[] = [pickLines(view), omitLines(view)];
// Declarations can name these inferred types.
export const cleaned = (filter: BloomFilter) => omitLines(filter);
export const sizes = () => [
  BinaryFuseFilter.sizeFor(5),
  ShardedFuseFilter.sizeFor(5),
  FuseMap.sizeFor(5, { largest: 9 }),
];
const users = guard(cuckoo, async (name: string, { signal }) => (signal.aborted ? undefined : { name }));
export const user: Promise<{ name: string } | undefined> = users.get('a');
export const seen: boolean = new FilterHandover(fuse, ScalableBloomFilter.from(['a'], { growth: 4 })).has('a');
const { handle }: { handle: SharedHandle } = new SharedBloomFilter({ capacity: 10, attachments: 2 });
export const alone: BloomFilter = SharedBloomFilter.attach(handle).toFilter();

const sources: (RangeSource | Promise<RangeSource>)[] = [
  fileSource(new URL('file:///f')),
  blobSource(new Blob([])),
  urlSource('https://example.org/f', { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers } }) }),
];
export const opened: Promise<OpenedFilter> = openFilter(classes, sources[0] as RangeSource, { cacheBytes: 0 });
export const openedKeys: Promise<string[]> = opened.then((filter) =>
  filter.pick(['a'], { signal: AbortSignal.abort() }),
);
export const reasonOf = (error: unknown): string | undefined => (error instanceof SourceError ? error.code : undefined);
export const patched: Uint8Array<ArrayBuffer> = patch(wide.toBytes(), diff(wide.toBytes(), wide.toBytes()));
export const onDisk: Promise<unknown> = buildOnDisk(ShardedFuseFilter, (keys) => keys.addMany(['a']), 'list.bloom');
export const mapOnDisk: Promise<{ readonly kind: 'fuse-map'; readonly valueBits: number }> = buildOnDisk(
  keyed(FuseMap, new Uint8Array(16)),
  (entries) => entries.addMany(['a'], Uint8Array.of(1)),
  'map.bloom',
  { fingerprintBits: 0, threads: 2 },
);

const filter = new BloomFilter({ capacity: 10 });
const input = createReadStream('a.txt');
const target = createWriteStream('b.txt');

export const lineCount: number = (await addLines(filter, input)).lines;
await pipeline(input, omitLines(filter), dedupeLines(filter, { crlf: false }), target);
await pipeline(input, dedupeLines(filter), target, { signal: AbortSignal.timeout(1) });
callbackPipeline(input, pickLines(filter), target, (error) => console.error(error));

const { body } = await fetch('https://example.org/a.txt');
export const uniqueLines: ReadableStream<Uint8Array<ArrayBuffer>> | undefined = body?.pipeThrough(dedupeLines(filter));
const file = await openAsBlob('a.txt');
await addLines(filter, await fetch('https://example.org/a.txt'), { crlf: false });
const blobs: ByteSource[] = [file, new NodeBlob(['a']), new NodeFile(['a'], 'a.txt'), new Blob(['a'])];
const byteSources: ByteSource[] = [...blobs, new Response('a'), input, fileStream(file)];
export const found: ReadableStream<Uint8Array<ArrayBuffer>> = fileStream(file).pipeThrough(pickLines(filter));
export const loaded: BloomFilter[] = await Promise.all([
  loadAny([BloomFilter], file),
  ...byteSources.map((each) => BloomFilter.fromChunks(each)),
]);
