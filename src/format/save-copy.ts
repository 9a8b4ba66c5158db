// Saves what was copied to be saved, and frees the copy.

import type { FileKind } from './header.ts';
import { type Saving, toBytes, toChunks } from './save.ts';

/** Saves the whole file in one array. */
export function copyToBytes(kind: FileKind, saving: Saving): Uint8Array<ArrayBuffer> {
  try {
    return toBytes(kind, saving);
  } finally {
    saving.dispose?.();
  }
}

/** Saves the file in chunks. The copy is freed with the last one, or when nobody asks for more. */
export function* copyToChunks(kind: FileKind, saving: Saving): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  try {
    yield* toChunks(kind, saving);
  } finally {
    saving.dispose?.();
  }
}
