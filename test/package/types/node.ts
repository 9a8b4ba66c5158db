// Must compile in a project for Node that has no types of browsers.

import { BloomFilter, useKernel } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { CuckooFilter, useCuckooKernel } from 'bloomery/cuckoo';
import cuckooKernel from 'bloomery/cuckoo/kernel.wasm';
import { diff, patch } from 'bloomery/delta';
import { buildOnDisk } from 'bloomery/disk';
import { fileSource, saveFile } from 'bloomery/file';
import { BinaryFuseFilter, useFuseKernel } from 'bloomery/fuse';
import fuseKernel from 'bloomery/fuse/kernel.wasm';
import { FilterHandover, type GuardStats, guard } from 'bloomery/guard';
import { type HashedKeys, hashKeys } from 'bloomery/hash';
import { hashKeys as jsHashKeys } from 'bloomery/hash/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import kernel from 'bloomery/kernel.wasm';
import { generateSecret, keyed, keyedHashKeys, useKeyedKernel } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import keyedKernel from 'bloomery/keyed/kernel.wasm';
import { loadAny } from 'bloomery/load';
import { blobSource, type OpenedFilter, openFilter, type RangeSource, SourceError, urlSource } from 'bloomery/open';
import { buildParallel } from 'bloomery/parallel';
import { RotatingBloomFilter, useRotatingKernel } from 'bloomery/rotating';
import rotatingKernel from 'bloomery/rotating/kernel.wasm';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SharedBloomFilter, type SharedHandle } from 'bloomery/shared';
import { StableBloomFilter, useStableKernel } from 'bloomery/stable';
import stableKernel from 'bloomery/stable/kernel.wasm';
import { type DifferenceView, difference, type FilterView, intersection, union } from 'bloomery/views';
import { useWideKernel, WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';
import wideKernel from 'bloomery/wide/kernel.wasm';

useKernel(kernel);
useWideKernel(wideKernel);
useCuckooKernel(cuckooKernel);
useFuseKernel(fuseKernel);
useRotatingKernel(rotatingKernel);
useStableKernel(stableKernel);
useKeyedKernel(keyedKernel);
const classes = [BloomFilter, JsWideBlockedBloomFilter];
export const filters: BloomFilter[] = [new JsBloomFilter({ capacity: 1 })];
export const wide: WideBlockedBloomFilter = WideBlockedBloomFilter.from(['a'], { errorRate: 1e-6 });
export const cuckoo: CuckooFilter = CuckooFilter.from(['a'], { errorRate: 1e-4 });
export const fuse: BinaryFuseFilter = BinaryFuseFilter.from(['a'], { fingerprintBits: 8 });
export const rotating: RotatingBloomFilter = RotatingBloomFilter.from(['a'], { window: 1000 });
export const scalable: ScalableBloomFilter = ScalableBloomFilter.from(['a'], { growth: 4 });
export const stable: StableBloomFilter = StableBloomFilter.from(['a'], { cellBits: 1 });
export const hashed: HashedKeys<ArrayBuffer> = wide.pick(hashKeys(['a'], { seed: 0 }));
export const flags: Uint8Array<ArrayBuffer> = fuse.hasMany(jsHashKeys(hashed));
const secret: Uint8Array<ArrayBuffer> = generateSecret();
const KeyedCuckoo: typeof CuckooFilter = keyed(CuckooFilter, secret);
export const keyedFilters: CuckooFilter[] = [new KeyedCuckoo({ capacity: 1 }), KeyedCuckoo.from(['a'])];
export const keyedFuse: BinaryFuseFilter = keyed(BinaryFuseFilter, secret).from(['a']);
export const keyedJs: BloomFilter = new (jsKeyed(JsBloomFilter, secret))({ capacity: 1 });
export const keyedFlags: Uint8Array<ArrayBuffer> = keyedFuse.hasMany(keyedHashKeys(secret)(['a']));
export const loaded: BloomFilter | WideBlockedBloomFilter = loadAny(classes, wide.toBytes());

const { BloomFilter: Chosen, lines, load } = await chooseEngine();
const { CuckooFilter: ChosenCuckoo } = await chooseEngine(
  () => import('bloomery/cuckoo'),
  () => import('bloomery/cuckoo/js'),
);
export const chosenCuckoo: CuckooFilter = ChosenCuckoo.from(lines(wide.toBytes()));
export const chosen: BloomFilter = Chosen.from(lines(wide.toBytes()));
export const either: BloomFilter = load(chosen.toBytes()) instanceof Chosen ? new Chosen({ capacity: 1 }) : chosen;
export const saving: Promise<void> = saveFile(chosen, 'chosen.bloom').then(() => saveFile(fuse, new URL('file:///f')));
export const built: Promise<BloomFilter> = buildParallel(BloomFilter, ['a.txt'], { capacity: 10, threads: 2 });
export const builtWide: Promise<WideBlockedBloomFilter> = buildParallel(WideBlockedBloomFilter, []);
export const views: FilterView[] = [union(wide, cuckoo), intersection(fuse, rotating)];
export const view: DifferenceView = difference(wide, views[0] as FilterView);
export const picked: string[] = view.pick(['a']);
const users = guard(cuckoo, async (name: string, { signal }) => (signal.aborted ? undefined : { name }));
export const user: Promise<{ name: string } | undefined> = users.get('a');
export const inserted: Promise<number> = users.add('a', async () => 1);
export const stats: GuardStats = users.stats;
export const seen: boolean = new FilterHandover(fuse, scalable).has('a');
const shared = new SharedBloomFilter({ capacity: 10, attachments: 2 });
const { handle }: { handle: SharedHandle } = shared;
export const again: SharedBloomFilter = SharedBloomFilter.attach(handle);
export const alone: BloomFilter = shared.toFilter();

const sources: (RangeSource | Promise<RangeSource>)[] = [
  fileSource(new URL('file:///f')),
  blobSource(new Blob([])),
  urlSource('https://example.org/f', { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers } }) }),
];
export const opened: Promise<OpenedFilter> = openFilter(classes, sources[0] as RangeSource, { cacheBytes: 0 });
export const openedKeys: Promise<string[]> = opened.then((filter) =>
  filter.pick(['a'], { signal: AbortSignal.abort() }),
);
export const openedFlags: Promise<Uint8Array<ArrayBuffer>> = opened.then((filter) => filter.hasMany(hashed));
export const reasonOf = (error: unknown): string | undefined => (error instanceof SourceError ? error.code : undefined);
export const patched: Uint8Array<ArrayBuffer> = patch(wide.toBytes(), diff(wide.toBytes(), wide.toBytes()));
export const onDisk: Promise<unknown> = buildOnDisk(ShardedFuseFilter, (keys) => keys.addMany(['a']), 'list.bloom');
