// Classes of filters whose keys have labels, for the suites of all kinds: every key gets the same label.

import type { Key, Keys } from '../../src/index.ts';
import type { AnyClass, AnyFilter } from './kinds.ts';

const LABEL = 2;
const LABELS = 3;

/** What such a class has instead of methods that take keys alone. */
interface LabeledClass {
  new (
    options: unknown,
  ): {
    add(key: Key, label: unknown): unknown;
    addMany(keys: Keys, labels: unknown, out?: Uint8Array): unknown;
  };
  from(sets: Iterable<readonly [label: number, keys: Keys]>, options: unknown): AnyFilter;
}

/** Adds the option that such a filter needs. What is no object of options stays as it is. */
function withLabels(options: unknown): unknown {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  return isObject || options === undefined ? { labels: LABELS, ...options } : options;
}

/** A subclass whose methods take keys alone. It has no `dedupe`. */
export function withOneLabel(Class: AnyClass): AnyClass {
  class OneLabel extends (Class as object as LabeledClass) {
    constructor(options: unknown) {
      super(withLabels(options));
    }

    static override from(keys: unknown, options: unknown): AnyFilter {
      return super.from([[LABEL, keys as Keys]], withLabels(options));
    }

    override add(key: Key): boolean {
      return super.add(key, LABEL) === 0;
    }

    override addMany(keys: Keys, out?: Uint8Array): this {
      super.addMany(keys, LABEL, out);
      out?.set(out.map((before) => Number(before === 0)));
      return this;
    }
  }
  return OneLabel as object as AnyClass;
}
