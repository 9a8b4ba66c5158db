// Must compile in a project for Node that has no types of browsers.

import { BloomFilter, useKernel } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { BinaryFuseFilter, useFuseKernel } from 'bloomery/fuse';
import fuseKernel from 'bloomery/fuse/kernel.wasm';
import { type HashedKeys, hashKeys } from 'bloomery/hash';
import { hashKeys as jsHashKeys } from 'bloomery/hash/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import kernel from 'bloomery/kernel.wasm';
import { loadAny } from 'bloomery/load';
import { RotatingBloomFilter, useRotatingKernel } from 'bloomery/rotating';
import rotatingKernel from 'bloomery/rotating/kernel.wasm';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { useWideKernel, WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';
import wideKernel from 'bloomery/wide/kernel.wasm';

useKernel(kernel);
useWideKernel(wideKernel);
useFuseKernel(fuseKernel);
useRotatingKernel(rotatingKernel);
const classes = [BloomFilter, JsWideBlockedBloomFilter];
export const filters: BloomFilter[] = [new JsBloomFilter({ capacity: 1 })];
export const wide: WideBlockedBloomFilter = WideBlockedBloomFilter.from(['a'], { errorRate: 1e-6 });
export const fuse: BinaryFuseFilter = BinaryFuseFilter.from(['a'], { fingerprintBits: 8 });
export const rotating: RotatingBloomFilter = RotatingBloomFilter.from(['a'], { window: 1000 });
export const scalable: ScalableBloomFilter = ScalableBloomFilter.from(['a'], { growth: 4 });
export const hashed: HashedKeys<ArrayBuffer> = wide.pick(hashKeys(['a'], { seed: 0 }));
export const flags: Uint8Array<ArrayBuffer> = fuse.hasMany(jsHashKeys(hashed));
export const loaded: BloomFilter | WideBlockedBloomFilter = loadAny(classes, wide.toBytes());

const { BloomFilter: Chosen, lines, load } = await chooseEngine();
export const chosen: BloomFilter = Chosen.from(lines(wide.toBytes()));
export const either: BloomFilter = load(chosen.toBytes()) instanceof Chosen ? new Chosen({ capacity: 1 }) : chosen;
