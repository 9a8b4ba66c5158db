// Uses every entry. Each bundler builds it, and Node runs what comes out.

import { BloomFilter, lines } from 'bloomery';
import { DLeftCountingBloomFilter } from 'bloomery/dleft';
import { DLeftCountingBloomFilter as JsDLeftCountingBloomFilter } from 'bloomery/dleft/js';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { BinaryFuseFilter as JsBinaryFuseFilter } from 'bloomery/fuse/js';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { loadAny } from 'bloomery/load';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { RotatingBloomFilter as JsRotatingBloomFilter } from 'bloomery/rotating/js';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ScalableBloomFilter as JsScalableBloomFilter } from 'bloomery/scalable/js';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { ShardedFuseFilter as JsShardedFuseFilter } from 'bloomery/sharded-fuse/js';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { SpatialBloomFilter as JsSpatialBloomFilter } from 'bloomery/spatial/js';
import { StableBloomFilter } from 'bloomery/stable';
import { StableBloomFilter as JsStableBloomFilter } from 'bloomery/stable/js';
import { TombstoneFilter } from 'bloomery/tombstone';
import { TombstoneFilter as JsTombstoneFilter } from 'bloomery/tombstone/js';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { WideBlockedBloomFilter as JsWideBlockedBloomFilter } from 'bloomery/wide/js';

const filter = BloomFilter.from(['ada', 'grace']);
const js = JsBloomFilter.fromBytes(filter.toBytes());
const wide = WideBlockedBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsWide = JsWideBlockedBloomFilter.fromBytes(wide.toBytes());
const fuse = BinaryFuseFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsFuse = JsBinaryFuseFilter.fromBytes(fuse.toBytes());
const sharded = ShardedFuseFilter.from(['ada', 'grace'], { errorRate: 1e-6, shards: 2 });
const jsSharded = JsShardedFuseFilter.fromBytes(sharded.toBytes());
const dleft = DLeftCountingBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsDleft = JsDLeftCountingBloomFilter.fromBytes(dleft.toBytes());
const rotating = RotatingBloomFilter.from(['ada', 'grace'], { errorRate: 1e-3 });
const jsRotating = JsRotatingBloomFilter.fromBytes(rotating.toBytes());
const scalable = ScalableBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsScalable = JsScalableBloomFilter.fromBytes(scalable.toBytes());
const spatial = SpatialBloomFilter.from(new Map([[2, ['ada', 'grace']]]), { errorRate: 1e-6 });
const jsSpatial = JsSpatialBloomFilter.fromBytes(spatial.toBytes());
const stable = StableBloomFilter.from(['ada', 'grace'], { errorRate: 1e-6 });
const jsStable = JsStableBloomFilter.fromBytes(stable.toBytes());
const tombstone = new TombstoneFilter(BinaryFuseFilter.from(['ada', 'bob', 'grace'], { errorRate: 1e-6 }));
tombstone.remove('bob');
const jsTombstone = JsTombstoneFilter.fromBytes(tombstone.toBytes(), [JsBinaryFuseFilter]);
const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
const keyedDleft = keyed(DLeftCountingBloomFilter, secret).from(['ada', 'grace'], { errorRate: 1e-6 });
const jsKeyedDleft = jsKeyed(JsDLeftCountingBloomFilter, secret).fromBytes(keyedDleft.toBytes());
const loaded = loadAny([BloomFilter, WideBlockedBloomFilter], jsWide.toBytes());

const text = new TextEncoder().encode('ada\nbob\ngrace\n');
const main = [filter, js, wide, jsWide, fuse, jsFuse, sharded, jsSharded];
const others = [dleft, jsDleft, tombstone, jsTombstone, rotating, jsRotating, scalable, jsScalable];
const rare = [spatial, jsSpatial, stable, jsStable];
const answers = [...main, ...others, ...rare, keyedDleft, jsKeyedDleft, loaded].map((each) => ({
  kind: each.kind,
  engine: each.engine,
  picked: new TextDecoder().decode(each.pick(lines(text)).bytes),
}));
console.log(JSON.stringify(answers));
