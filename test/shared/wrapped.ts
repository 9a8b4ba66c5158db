// Kinds whose filters are made around those of another kind, and kinds whose keys have labels or values, in the form of a
// kind that is made of keys and options.

import type { LoadableClass } from '../../src/entries/load.ts';
import type { Key, Keys } from '../../src/index.ts';
import type { AnyClass, AnyFilter } from './kinds.ts';

interface Wrapper extends AnyFilter {
  exclude(key: Key): boolean;
}

export interface WrapperClass {
  new (base: AnyFilter): Wrapper;
  fromBytes(bytes: Uint8Array | ArrayBuffer, classes: readonly LoadableClass[]): AnyFilter;
  fromChunks(chunks: Iterable<Uint8Array>, classes: readonly LoadableClass[]): AnyFilter;
}

const CANDIDATES = Array.from({ length: 1000 }, (_, i) => `never added ${i}`);

/**
 * A subclass whose filters are made around those of `Base`, and of which known false positives are excluded.
 *
 * @param others further classes of bases, for files
 */
export function around(Class: WrapperClass, Base: AnyClass, others: readonly AnyClass[] = []): AnyClass {
  const bases = [Base, ...others] as object as readonly LoadableClass[];
  class Wrapped extends Class {
    static from(this: WrapperClass, keys: Keys, options?: object): Wrapper {
      const filter = new this(Base.from(keys, options));
      for (const key of CANDIDATES) filter.exclude(key);
      return filter;
    }

    static override fromBytes(bytes: Uint8Array | ArrayBuffer): AnyFilter {
      return super.fromBytes(bytes, bases);
    }

    static override fromChunks(chunks: Iterable<Uint8Array>): AnyFilter {
      return super.fromChunks(chunks, bases);
    }
  }
  return Wrapped as object as AnyClass;
}

const LABEL = 2;
const LABELS = 3;

/** What a class of filters whose keys have labels has instead of methods that take keys alone. */
interface LabeledClass {
  new (
    options: unknown,
  ): { add(key: Key, label: unknown): unknown; addMany(keys: Keys, labels: unknown, out?: Uint8Array): unknown };
  from(sets: Iterable<readonly [label: number, keys: Keys]>, options: unknown): AnyFilter;
}

/** Adds the option that such a filter needs, beside own and inherited ones. What is no object of options stays as it is. */
function withLabels(options: unknown = {}): unknown {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  return isObject ? Object.setPrototypeOf({ labels: LABELS, ...options }, Object.getPrototypeOf(options)) : options;
}

/** A subclass whose methods take keys alone, which all get the same label. It has no `dedupe`. */
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

/** What a class of maps has in place of `from` with keys alone. */
interface MapClass {
  new (): AnyFilter;
  from(keys: unknown, values: readonly number[], options: unknown): AnyFilter;
}

/** The value of every key, of one bit. */
const VALUE = 1;

/** Keys of a known number, and that number. What is no collection of keys stays as it is. */
function counted(keys: unknown): readonly [keys: unknown, count: number] {
  if (typeof keys !== 'object' || keys === null || keys instanceof Uint8Array) return [keys, 0];
  const all = Symbol.iterator in keys && !ArrayBuffer.isView(keys) ? [...(keys as Iterable<unknown>)] : keys;
  const { length, count } = all as { length?: number; count?: () => number };
  return [all, length ?? count?.call(all) ?? 0];
}

/** A subclass whose `from` takes keys alone, which all get the same value. */
export function withOneValue(Class: AnyClass): AnyClass {
  class OneValue extends (Class as object as MapClass) {
    static override from(keys: unknown, options: unknown): AnyFilter {
      const [all, count] = counted(keys);
      return super.from(all, new Array(count).fill(VALUE), options);
    }
  }
  return OneValue as object as AnyClass;
}
