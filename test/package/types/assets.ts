// Must compile in an app whose build makes filters of lists.

/// <reference types="bloomery/assets" />

import type { BloomFilter } from 'bloomery';
import type { BinaryFuseFilter } from 'bloomery/fuse';
import type { FuseMap } from 'bloomery/fuse-map';
import { FuseLookup } from 'bloomery/lookup';
import { type BloomAssetsPlugin, bloomAssets } from 'bloomery/vite';
import type { WideBlockedBloomFilter } from 'bloomery/wide';
import saved from './names.bloom' with { type: 'bytes' };
import loadNames from './names.txt?bloom';
import loadClassic from './names.txt?bloom&errorRate=1e-3&kind=classic';
import loadFuse from './names.txt?bloom&kind=fuse';
import loadMap from './names.txt?bloom&kind=fuse-map';
import loadWide from './names.txt?bloom&kind=wide';

export const plugins: BloomAssetsPlugin[] = [bloomAssets(), bloomAssets({ inline: true })];
export const names: BinaryFuseFilter = await loadNames();
export const fuse: BinaryFuseFilter = await loadFuse();
export const wide: WideBlockedBloomFilter = await loadWide();
export const map: FuseMap = await loadMap();
export const classic: BloomFilter = (await loadClassic()).addMany(['another']);
export const isListed: boolean = FuseLookup.fromBytes(saved).has('ada');

// @ts-expect-error: the kind takes no keys.
names.add('another');
