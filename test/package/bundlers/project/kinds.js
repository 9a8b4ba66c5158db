// Prints what a filter of each kind on each engine answers, read from a file that one of the engines wrote.

import { BloomFilter, lines } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { loadAny } from 'bloomery/load';
import { filterOf } from './filter-of.js';

const isClass = (value) => typeof value === 'function' && 'fromBytes' in value;
const names = ['ada', 'grace'];
const decoder = new TextDecoder();
const text = new TextEncoder().encode('ada\nbob\ngrace\n');
const secret = Uint8Array.from({ length: 16 }, (_, i) => i);

export function report(entries) {
  const classes = entries.flatMap((entry) => Object.values(entry).filter(isClass));
  const files = new Map(classes.map((Filter) => [Filter.kind, filterOf(Filter, names, BloomFilter).toBytes()]));
  const filters = classes.map(({ kind, engine }) => {
    const some = classes.filter((each) => each.engine.name === engine.name);
    return loadAny(some, files.get(kind));
  });
  const underSecret = keyed(BloomFilter, secret).from(names, { errorRate: 1e-4 });
  filters.push(underSecret, jsKeyed(JsBloomFilter, secret).fromBytes(underSecret.toBytes()));
  const answers = filters.map((each) => [each.kind, each.engine, decoder.decode(each.pick(lines(text)).bytes)]);
  console.log(JSON.stringify(answers.sort()));
}
