// Entries of the library that only the walk needs, on the engine that works here.

import { type Engine, engineName } from '../engine.ts';

const isWasm = (engine: Engine): boolean => engineName(engine) === 'wasm';

/** `bloomery/keyed` on this engine. */
export function keyedOf(engine: Engine) {
  return isWasm(engine) ? import('bloomery/keyed') : import('bloomery/keyed/js');
}

/** `bloomery/hash` on this engine. */
export function hashingOf(engine: Engine) {
  return isWasm(engine) ? import('bloomery/hash') : import('bloomery/hash/js');
}
