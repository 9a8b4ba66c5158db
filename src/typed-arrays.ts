import { mustBe } from './validate.ts';

const prototype = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;

function getterOf(name: symbol | 'length' | 'buffer' | 'byteOffset'): (this: unknown) => unknown {
  return Reflect.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
}

// The built-in getters run no code of a subclass or a proxy, and work on typed arrays of every realm.
const tag = getterOf(Symbol.toStringTag);
const length = getterOf('length');
const buffer = getterOf('buffer');
const byteOffset = getterOf('byteOffset');
const { values } = prototype;

/** The type name of a typed array, such as `'Uint8Array'`; undefined for anything else. */
export function typedArrayName(value: unknown): unknown {
  return ArrayBuffer.isView(value) ? tag.call(value) : undefined;
}

/** The true length of a typed array, even if a subclass overrides `length`. */
export function lengthOf(array: ArrayBufferView): number {
  return Number(length.call(array));
}

/** The true buffer of a typed array. */
export function bufferOf(array: ArrayBufferView): ArrayBuffer {
  return buffer.call(array) as ArrayBuffer;
}

/** The true offset of a typed array in its buffer. */
export function byteOffsetOf(array: ArrayBufferView): number {
  return Number(byteOffset.call(array));
}

/**
 * Whether a typed array has lost its memory: the buffer was transferred away, or made too small. It then looks empty.
 */
export function isLost(array: ArrayBufferView): boolean {
  if (lengthOf(array) > 0) return false;
  try {
    values.call(array as Uint8Array);
    return false;
  } catch {
    return true;
  }
}

/** Makes the error for an argument that should be a typed array. Says so if it is one that has lost its memory. */
export function arrayError(name: string, wanted: string, got: unknown): TypeError {
  const isLostArray = typedArrayName(got) !== undefined && isLost(got as ArrayBufferView);
  return new TypeError(mustBe(name, wanted, got) + (isLostArray ? ' that is detached or out of bounds' : ''));
}
