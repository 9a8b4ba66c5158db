// Uses every entry. Each bundler builds it, and Node runs what comes out.

import { BloomFilter, lines } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { BinaryFuseFilter as JsBinaryFuseFilter } from 'bloomery/fuse/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { loadAny } from 'bloomery/load';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { RotatingBloomFilter as JsRotatingBloomFilter } from 'bloomery/rotating/js';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ScalableBloomFilter as JsScalableBloomFilter } from 'bloomery/scalable/js';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';

const filter = BloomFilter.from(['ada', 'grace']);
const js = JsBloomFilter.fromBytes(filter.toBytes());
const wide = WideBlockedBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsWide = JsWideBlockedBloomFilter.fromBytes(wide.toBytes());
const fuse = BinaryFuseFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsFuse = JsBinaryFuseFilter.fromBytes(fuse.toBytes());
const rotating = RotatingBloomFilter.from(['ada', 'grace'], { errorRate: 1e-3 });
const jsRotating = JsRotatingBloomFilter.fromBytes(rotating.toBytes());
const scalable = ScalableBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsScalable = JsScalableBloomFilter.fromBytes(scalable.toBytes());
const loaded = loadAny([BloomFilter, WideBlockedBloomFilter], jsWide.toBytes());

const text = new TextEncoder().encode('ada\nbob\ngrace\n');
const growing = [rotating, jsRotating, scalable, jsScalable];
const answers = [filter, js, wide, jsWide, fuse, jsFuse, ...growing, loaded].map((each) => ({
  kind: each.kind,
  engine: each.engine,
  picked: new TextDecoder().decode(each.pick(lines(text)).bytes),
}));
console.log(JSON.stringify(answers));
