// A filter that holds 'ada', of every kind on every engine.

import { BloomFilter } from 'bloomery';

// The entries that have kinds, which frameworks.test.ts knows.
const entries = await Promise.all(process.env.ENTRIES.split(' ').map((entry) => import(entry)));
const classes = entries.flatMap((entry) =>
  Object.values(entry).filter((value) => typeof value === 'function' && 'fromBytes' in value),
);

export const filters = classes.map((Filter) => {
  const keysFor = (Class) => ('labelOf' in Class.prototype ? [[1, ['ada']]] : ['ada']);
  const from = (Class) => Class.from(keysFor(Class), { errorRate: 1e-4 });
  // A class without this method makes filters around others.
  const make = () => ('from' in Filter ? from(Filter) : new Filter(from(BloomFilter)));
  return [`${Filter.kind}, ${make().engine}`, make];
});
