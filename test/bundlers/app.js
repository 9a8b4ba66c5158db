// Uses every entry. Each bundler builds it, and Node runs what comes out.

import { BloomFilter, lines } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { BinaryFuseFilter as JsBinaryFuseFilter } from 'bloomery/fuse/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { loadAny } from 'bloomery/load';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';

const filter = BloomFilter.from(['ada', 'grace']);
const js = JsBloomFilter.fromBytes(filter.toBytes());
const wide = WideBlockedBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsWide = JsWideBlockedBloomFilter.fromBytes(wide.toBytes());
const fuse = BinaryFuseFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsFuse = JsBinaryFuseFilter.fromBytes(fuse.toBytes());
const loaded = loadAny([BloomFilter, WideBlockedBloomFilter], jsWide.toBytes());

const text = new TextEncoder().encode('ada\nbob\ngrace\n');
const answers = [filter, js, wide, jsWide, fuse, jsFuse, loaded].map((each) => ({
  kind: each.kind,
  engine: each.engine,
  picked: new TextDecoder().decode(each.pick(lines(text)).bytes),
}));
console.log(JSON.stringify(answers));
