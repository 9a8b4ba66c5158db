// Prints what a filter of each kind on each engine answers, read from a file that one of the engines wrote.

import { BloomFilter, lines } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { loadAny } from 'bloomery/load';

const isClass = (value) => typeof value === 'function' && 'fromBytes' in value;
const decoder = new TextDecoder();
const text = new TextEncoder().encode('ada\nbob\ngrace\n');
const secret = Uint8Array.from({ length: 16 }, (_, i) => i);

function savedOf(Filter) {
  const keys = 'labelOf' in Filter.prototype ? [[2, ['ada', 'grace']]] : ['ada', 'grace'];
  // A class without this method makes filters around others.
  if (!('from' in Filter)) return new Filter(BloomFilter.from(keys)).toBytes();
  // A set has no error rate to choose.
  const options = 'difference' in Filter.prototype ? {} : { errorRate: 1e-4 };
  // A map has a value for each key.
  return Filter.from(keys, ...('getMany' in Filter.prototype ? [[1, 2], options] : [options])).toBytes();
}

export function report(entries) {
  const classes = entries.flatMap((entry) => Object.values(entry).filter(isClass));
  const files = new Map(classes.map((Filter) => [Filter.kind, savedOf(Filter)]));
  const filters = classes.map(({ kind, engine }) => {
    const some = classes.filter((each) => each.engine.name === engine.name);
    return loadAny(some, files.get(kind));
  });
  const underSecret = keyed(BloomFilter, secret).from(['ada', 'grace'], { errorRate: 1e-4 });
  filters.push(underSecret, jsKeyed(JsBloomFilter, secret).fromBytes(underSecret.toBytes()));
  const answers = filters.map((each) => [each.kind, each.engine, decoder.decode(each.pick(lines(text)).bytes)]);
  console.log(JSON.stringify(answers.sort()));
}
