// Must compile where TypeScript does not know that Node can require ES modules.

import { BloomFilter, type Picked } from 'bloomery';

import auto = require('bloomery/auto');
import fuseJs = require('bloomery/fuse/js');
import js = require('bloomery/js');
import keyed = require('bloomery/keyed');

import rotatingJs = require('bloomery/rotating/js');
import scalableJs = require('bloomery/scalable/js');

import { saveFile } from 'bloomery/file';
import { loadAny } from 'bloomery/load';
import { WideBlockedBloomFilter } from 'bloomery/wide';

import wideJs = require('bloomery/wide/js');

class Seen extends BloomFilter {}
const seen: BloomFilter = Seen.from(['a']);
const picked: Picked<string[]> = seen.union(new js.BloomFilter({ capacity: 1 })).pick(['a']);
const wide: WideBlockedBloomFilter = new wideJs.WideBlockedBloomFilter({ capacity: 1 });
const fuse: boolean = fuseJs.BinaryFuseFilter.from(['a']).has('a');
const rotating: boolean = rotatingJs.RotatingBloomFilter.from(['a']).refresh('a');
const scalable: boolean = scalableJs.ScalableBloomFilter.from(['a']).has('a');
const any: BloomFilter | WideBlockedBloomFilter = loadAny([BloomFilter, WideBlockedBloomFilter], wide.toBytes());
const chosen: Promise<BloomFilter> = auto.chooseEngine().then(({ BloomFilter: Chosen }) => Chosen.from(['a']));
const saved: Promise<void> = saveFile(scalableJs.ScalableBloomFilter.from(['a']), 'a.bloom');
const Keyed: typeof BloomFilter = keyed.keyed(BloomFilter, keyed.generateSecret());
const secret: BloomFilter = Keyed.from(['a']);
export = [secret, seen, picked, wide, fuse, rotating, scalable, any, chosen, saved];
