import { isBytes } from '../keys/key.ts';
import { type Keys, type Picked, sourceOf } from '../keys/many.ts';
import { SOURCE } from '../keys/source.ts';
import { hashingInstance } from './digest.ts';

/** Returns the keys in a form that can be read twice. Bytes from an iterable are copied: it may reuse one buffer. */
export function rereadable<K extends Keys>(keys: K): Keys {
  sourceOf(keys).close();
  if (Array.isArray(keys) || ArrayBuffer.isView(keys) || SOURCE in keys) return keys;
  return Array.from(keys as Iterable<never>, (key) => (isBytes(key) ? new Uint8Array(key) : key));
}

/** Returns the keys whose flag is `wanted`, in the shape in which they came. Reads the keys again. */
export function select<K extends Keys>(keys: Keys, flags: Uint8Array, wanted: 0 | 1, seed: number): Picked<K> {
  const source = sourceOf(keys);
  let at = 0;
  try {
    while (source.collect()) {
      const instance = hashingInstance();
      const count = source.hash(instance, seed);
      instance.scratch.flagBytes.set(flags.subarray(at, at + count));
      source.keep(instance, wanted);
      at += count;
    }
    return source.kept() as Picked<K>;
  } finally {
    source.close();
  }
}
