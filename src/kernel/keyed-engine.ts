import type { KeyedExports } from './generated/keyed/exports.ts';
import type { Bare } from './instance.ts';
import type { Engine } from './region.ts';

/** Makes engines that hash keys under a secret. */
export interface KeyedEngines {
  readonly name: Engine['name'];
  /** Makes an engine that has the linked module of another one, if there is one. */
  make(secret: Uint8Array, base: Pick<Engine, 'linkedModule'>): Engine;
}

/** Writes a secret into the memory of each kernel that is given, where the keyed module reads it. */
export function keep(secret: Uint8Array): (bare: Bare) => void {
  return ({ kernel, memory }) => {
    const { secret_at } = kernel as Bare['kernel'] & KeyedExports;
    new Uint8Array(memory.buffer).set(secret, secret_at());
  };
}
