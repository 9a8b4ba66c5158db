import type { Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { wasm } from '../kernel/wasm.ts';
import { hashLongString } from '../keys/long.ts';

let region: Region | undefined;

/** The kernel that hashes keys for all filters in Redis. */
export function hashingInstance(): Instance {
  region ??= wasm.reserve(1);
  return region.instance;
}

/** A hash of a text: 16 hexadecimal digits. */
export function digestOf(text: string): string {
  const instance = hashingInstance();
  hashLongString(text, instance, 0);
  const view = new DataView(instance.memory.buffer, instance.scratch.hashes);
  return view.getBigUint64(0, true).toString(16).padStart(16, '0');
}
