// A filter that holds 'ada', of every kind on every engine.

import { BloomFilter } from 'bloomery';

// The entries that have kinds, which frameworks.test.ts knows.
const entries = await Promise.all(process.env.ENTRIES.split(' ').map((entry) => import(entry)));
const classes = entries.flatMap((entry) =>
  Object.values(entry).filter((value) => typeof value === 'function' && 'fromBytes' in value),
);

export const filters = classes.map((Filter) => {
  // A class without this method makes filters around others.
  if (!('from' in Filter)) return new Filter(BloomFilter.from(['ada'], { errorRate: 1e-4 }));
  return Filter.from('labelOf' in Filter.prototype ? [[1, ['ada']]] : ['ada'], { errorRate: 1e-4 });
});
