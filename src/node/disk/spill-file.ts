import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockStore } from '../../kinds/fuse/sharded/build.ts';

/** A block of words in the file. */
interface Block {
  readonly offset: number;
  readonly byteLength: number;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * A temporary file for blocks of words, and after them for the shards that are built of them. The system frees it
 * however the process ends: where files can be deleted while they are open, it is deleted at once. Elsewhere, as on
 * Windows, it is deleted when it is closed, or at the exit of the process.
 */
export class SpillFile implements BlockStore {
  readonly #file: number;
  /** Deletes the folder of the file; undefined once that is done: the name may be somebody else's by then. */
  #remove: (() => void) | undefined;
  readonly #blocks = new Map<number, Block[]>();
  /** Where the blocks end. */
  #blocksEnd = 0;
  #end = 0;

  /** @param folder an existing folder, in which the file gets one of its own that only this user may read */
  constructor(folder: string) {
    const own = mkdtempSync(join(folder, 'bloomery-'));
    const remove = (): void => rmSync(own, { recursive: true, force: true });
    try {
      this.#file = openSync(join(own, 'hashes'), 'wx+', 0o600);
    } catch (error) {
      remove();
      throw error;
    }
    try {
      remove();
    } catch {
      // It can be deleted once it is closed.
      this.#remove = remove;
      process.once('exit', remove);
    }
  }

  #append(bytes: Uint8Array): number {
    const offset = this.#end;
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#file, bytes, at, bytes.length - at, offset + at);
    }
    this.#end += bytes.length;
    return offset;
  }

  write(bucket: number, block: Uint32Array): void {
    const bytes = bytesOf(block);
    const blocks = this.#blocks.get(bucket) ?? [];
    this.#blocks.set(bucket, blocks);
    blocks.push({ offset: this.#append(bytes), byteLength: bytes.length });
    this.#blocksEnd = this.#end;
  }

  read(bucket: number, target: Uint32Array): void {
    const bytes = bytesOf(target);
    let at = 0;
    for (const { offset, byteLength } of this.#blocks.get(bucket) ?? []) {
      this.readTo(bytes.subarray(at, at + byteLength), offset);
      at += byteLength;
    }
  }

  /** Fills `bytes` with what is in the file from an offset on. */
  readTo(bytes: Uint8Array, offset: number): void {
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, at, bytes.length - at, offset + at);
      if (read === 0) throw new Error('the temporary file has become shorter');
      at += read;
    }
  }

  /** Writes a shard after all that is in the file, which takes `byteLength` bytes there. Returns its offset. */
  addShard(body: Uint8Array, byteLength: number): number {
    const offset = this.#append(body);
    this.#append(new Uint8Array(byteLength - body.length));
    return offset;
  }

  /** Drops all shards. No block may be written after the first shard. */
  dropShards(): void {
    this.#end = this.#blocksEnd;
  }

  close(): void {
    closeSync(this.#file);
    if (this.#remove === undefined) return;
    process.off('exit', this.#remove);
    this.#remove();
  }
}
