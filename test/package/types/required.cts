// Must compile where TypeScript does not know that Node can require ES modules.

import { BloomFilter, type Picked } from 'bloomery';

import auto = require('bloomery/auto');
import js = require('bloomery/js');
import keyed = require('bloomery/keyed');
import wideJs = require('bloomery/wide/js');

import { saveFile } from 'bloomery/file';
import { loadAny } from 'bloomery/load';
import { WideBlockedBloomFilter } from 'bloomery/wide';

class Seen extends BloomFilter {}
const seen: BloomFilter = Seen.from(['a']);
const picked: Picked<string[]> = seen.union(new js.BloomFilter({ capacity: 1 })).pick(['a']);
const wide: WideBlockedBloomFilter = new wideJs.WideBlockedBloomFilter({ capacity: 1 });
const any: BloomFilter | WideBlockedBloomFilter = loadAny([BloomFilter, WideBlockedBloomFilter], wide.toBytes());
const chosen: Promise<BloomFilter> = auto.chooseEngine().then(({ BloomFilter: Chosen }) => Chosen.from(['a']));
const Keyed: typeof BloomFilter = keyed.keyed(BloomFilter, keyed.generateSecret());
export = [seen, picked, any, chosen, Keyed.from(['a']), saveFile(wide, 'a.bloom')];
