// A filter that holds 'ada', of every kind on every engine.

import * as wasm from 'bloomery';
import * as cuckoo from 'bloomery/cuckoo';
import * as cuckooJs from 'bloomery/cuckoo/js';
import * as fuse from 'bloomery/fuse';
import * as fuseJs from 'bloomery/fuse/js';
import * as js from 'bloomery/js';
import * as rotating from 'bloomery/rotating';
import * as rotatingJs from 'bloomery/rotating/js';
import * as scalable from 'bloomery/scalable';
import * as scalableJs from 'bloomery/scalable/js';
import * as wide from 'bloomery/wide';
import * as wideJs from 'bloomery/wide/js';

const entries = [wasm, js, cuckoo, cuckooJs, fuse, fuseJs, rotating, rotatingJs, scalable, scalableJs, wide, wideJs];
const classes = entries.flatMap((entry) =>
  Object.values(entry).filter((value) => typeof value === 'function' && 'fromBytes' in value),
);

export const filters = classes.map((Filter) => {
  const make = () => Filter.from(['ada'], { errorRate: 1e-4 });
  return [`${Filter.kind}, ${make().engine}`, make];
});
