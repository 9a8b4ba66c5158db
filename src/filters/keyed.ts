// Filters whose keys are hashed under a secret. Only their engine differs: its kernel has another hash, and holds the
// secret.

import { FOREIGN_KIND } from '../format/header.ts';
import type { KeyedEngines } from '../kernel/keyed-engine.ts';
import type { Engine } from '../kernel/region.ts';
import { isBytes } from '../keys/key.ts';
import { lengthOf } from '../util/checks/typed-arrays.ts';
import { mustBe, SECRETS } from '../util/checks/validate.ts';
import { hashAll } from './hashing.ts';
import { type FilterClass, KIND } from './kind.ts';

const SECRET_BYTES = 16;
/** The key whose hash identifies a secret. */
const CHECKED_KEY = 'the secret of a bloomery filter';

/** A class of filters that hash their keys, in memory or in Redis. */
export interface HashingClass {
  readonly prototype: object;
  readonly engine: Engine;
}

/** The static properties in which a class holds another class, whose filters it makes. */
const INNER = ['classic', 'local'];

/** Makes a secret for `keyed`: 16 random bytes. Keep it like a password, and not in the filter's file. */
export function generateSecret(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
}

/** Returns a copy of a secret. The errors never show it. */
function copyOfSecret(secret: unknown): Uint8Array<ArrayBuffer> {
  if (!isBytes(secret)) {
    const got = typeof secret === 'object' ? 'another object' : `a value of type ${typeof secret}`;
    throw new TypeError(`secret must be a Uint8Array of ${SECRET_BYTES} bytes, got ${got}`);
  }
  const length = lengthOf(secret);
  if (length !== SECRET_BYTES) throw new RangeError(`secret must have ${SECRET_BYTES} bytes, got ${length}`);
  // The copy is checked: a subclass with getters, or another thread, cannot change it.
  const copy = new Uint8Array(secret);
  if (!copy.some(Boolean)) throw new RangeError(`secret must be random, got ${SECRET_BYTES} zeros`);
  return copy;
}

/** Makes an engine whose filters all have the seed that stands for the secret. */
export function engineUnder(secret: unknown, engines: KeyedEngines, base: Pick<Engine, 'linkedModule'> = {}): Engine {
  const engine = engines.make(copyOfSecret(secret), base);
  let seed: number | undefined;
  return {
    ...engine,
    // Computed when it is needed first, because that starts the engine.
    get seed() {
      // Of any other seed than 0, because the kernel hashes files with that.
      seed ??= SECRETS + (new DataView(hashAll(engine, [CHECKED_KEY], 1, 4).buffer).getUint32(0, true) || 1);
      return seed;
    },
  };
}

function hasEngine(Class: unknown): Class is HashingClass {
  return typeof Class === 'function' && 'engine' in Class;
}

/** Returns the engine of a class. Throws a TypeError unless it has no secret yet, and is the one that is wanted. */
function engineOf(Class: unknown, wanted: Engine['name']): Engine {
  if (!hasEngine(Class)) throw new TypeError(mustBe('Class', 'a class of filters of one thread', Class));
  const { engine } = Class;
  if ('seed' in engine) throw new TypeError('Class must be without a secret, got a class that has one');
  if ((Class as Partial<FilterClass<unknown>>)[KIND]?.id === FOREIGN_KIND)
    throw new TypeError(mustBe('Class', 'a class whose keys bloomery hashes', Class.prototype));
  if (engine.name === wanted) return engine;
  const entry = engine.name === 'js' ? "'bloomery/keyed/js'" : "'bloomery/keyed'";
  const got = `got one that runs on ${engine.name}`;
  throw new TypeError(`Class must run on the engine ${wanted}, ${got}: import keyed from ${entry}`);
}

/** Makes a class like another one, with another engine. */
function classOn<C extends HashingClass>(Class: C, own: Engine): C {
  class Keyed extends (Class as object as new () => object) {
    static readonly engine: Engine = own;
  }
  return Object.defineProperty(Keyed, 'name', { value: (Class as object as { name: string }).name }) as object as C;
}

/** Makes a class like another one, whose filters hash their keys under a secret. */
export function keyedClass<C extends HashingClass>(Class: C, secret: Uint8Array, engines: KeyedEngines): C {
  const own = engineUnder(secret, engines, engineOf(Class, engines.name));
  const Keyed = classOn(Class, own);
  for (const name of INNER) {
    const inner: unknown = Reflect.get(Class as object, name);
    // They are of the main entry, so they need no linked module, and can have the same engine and memory.
    if (hasEngine(inner)) Object.defineProperty(Keyed, name, { value: classOn(inner, own) });
  }
  return Keyed;
}
