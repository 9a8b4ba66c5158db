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
  return tag.call(value);
}

/** Whether a value is an ArrayBuffer, of any realm. */
export function isBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

/** The true length of a typed array, even if a subclass overrides `length`. */
export function lengthOf(array: ArrayBufferView): number {
  return length.call(array) as number;
}

/** The true buffer of a typed array. */
export function bufferOf(array: ArrayBufferView): ArrayBuffer {
  return buffer.call(array) as ArrayBuffer;
}

/** The true offset of a typed array in its buffer. */
export function byteOffsetOf(array: ArrayBufferView): number {
  return byteOffset.call(array) as number;
}

/**
 * Whether a typed array has lost its memory, because its buffer was transferred or made too small. It then looks empty.
 */
export function isLost(array: ArrayBufferView): boolean {
  try {
    // `values` throws if the memory is lost.
    return lengthOf(array) === 0 && !values.call(array as Uint8Array);
  } catch {
    return true;
  }
}

/** Makes the error for a wrong argument, which may be a typed array that has lost its memory. */
export function arrayError(name: string, wanted: string, got: unknown, hint = ''): TypeError {
  const lost = typedArrayName(got) && isLost(got as ArrayBufferView) ? ' that is detached or out of bounds' : '';
  return new TypeError(mustBe(name, wanted, got) + lost + hint);
}
