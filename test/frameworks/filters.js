// A filter that holds 'ada', of every kind on every engine.

import * as wasm from 'bloomery';
import * as cuckoo from 'bloomery/cuckoo';
import * as cuckooJs from 'bloomery/cuckoo/js';
import * as fuse from 'bloomery/fuse';
import * as fuseJs from 'bloomery/fuse/js';
import * as js from 'bloomery/js';
import * as wide from 'bloomery/wide';
import * as wideJs from 'bloomery/wide/js';

const classes = [wasm, js, cuckoo, cuckooJs, fuse, fuseJs, wide, wideJs].flatMap((entry) =>
  Object.values(entry).filter((value) => typeof value === 'function' && 'fromBytes' in value),
);

export const filters = classes.map((Filter) => {
  const make = () => Filter.from(['ada'], { errorRate: 1e-4 });
  return [`${Filter.kind}, ${make().engine}`, make];
});
