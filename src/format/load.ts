import { type Cells, copyOf } from '../filters/cells.ts';
import type { Engine } from '../kernel/kernel.ts';
import { OWN_BYTES } from '../kernel/region.ts';
import { requireBytes } from '../keys/key.ts';
import { mustBe } from '../validate.ts';
import { Checksum, PIECE_BYTES } from './checksum.ts';
import { bodyLengthOf, CHECKSUM_AT, HEADER_BYTES, type Kind, kindIn, readHeader, requireSaved } from './header.ts';

/** A file whose header has been read. */
interface Opened extends Cells {
  readonly checksum: Checksum;
}

/** Takes a file in chunks of any size. Memory grows with what has come, whatever the header promises. */
class Loader {
  readonly #engine: Engine;
  readonly #kind: Kind;
  /** Whether the length of the file is known to be what its header says. */
  readonly #isWhole: boolean;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #body: Opened | undefined;
  /** How many bytes have come. */
  #length = 0;
  #chunks = 0;

  constructor(engine: Engine, kind: Kind, isWhole: boolean) {
    this.#engine = engine;
    this.#kind = kind;
    this.#isWhole = isWhole;
  }

  push(given: unknown): void {
    const chunk = requireBytes(`chunks[${this.#chunks++}]`, given as Uint8Array);
    let rest = chunk;
    if (this.#length < HEADER_BYTES) {
      rest = chunk.subarray(HEADER_BYTES - this.#length);
      this.#header.set(chunk.subarray(0, chunk.length - rest.length), this.#length);
      this.#length += chunk.length - rest.length;
      if (this.#length === HEADER_BYTES) this.#open();
    }
    while (rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  #open(): void {
    const parameters = readHeader(this.#header, this.#kind);
    const byteLength = bodyLengthOf(parameters.cells, this.#kind);
    const region = this.#engine.reserve(byteLength, !this.#isWhole);
    this.#body = { parameters, region, checksum: new Checksum(this.#header, byteLength) };
  }

  /** Takes bytes up to the end of a piece of the body, and returns how many. */
  #take(bytes: Uint8Array): number {
    const { region, checksum } = this.#body as Opened;
    const { byteLength, pointer } = region;
    const at = this.#length - HEADER_BYTES;
    requireSaved(at < byteLength, 'bytes follow its body');
    const start = at - (at % PIECE_BYTES);
    const end = Math.min(start + PIECE_BYTES, byteLength);
    const taken = bytes.subarray(0, end - at);
    // An eighth more than is needed, for growth may copy.
    region.commit(Math.min(byteLength, Math.ceil(end * 1.125)));
    const { instance } = region;
    new Uint8Array(instance.memory.buffer, pointer + at, taken.length).set(taken);
    this.#length += taken.length;
    if (at + taken.length === end) {
      checksum.push(new Uint8Array(instance.memory.buffer, pointer + start, end - start), instance);
    }
    return taken.length;
  }

  end(): Cells {
    requireSaved(this.#body !== undefined, `${this.#length} bytes are less than a header`);
    const { parameters, region, checksum } = this.#body as Opened;
    const expected = HEADER_BYTES + region.byteLength;
    requireSaved(this.#length === expected, `it has ${this.#length} of ${expected} bytes`);
    const sealed = checksum.seal(region.instance);
    const holds = sealed.subarray(CHECKSUM_AT).every((byte, i) => byte === this.#header[CHECKSUM_AT + i]);
    requireSaved(holds, 'its checksum is wrong');
    const used = (parameters.cells * this.#kind.cellBits) % 8;
    const last = region.bytes[region.byteLength - 1] ?? 0;
    requireSaved(used === 0 || last >> used === 0, 'bits behind its last cell are set');
    // One that grew has an instance of its own, which is too much for a small filter.
    if (!this.#isWhole && region.byteLength <= OWN_BYTES) return { parameters, region: copyOf(region, this.#engine) };
    this.#body = undefined;
    return { parameters, region };
  }

  /** Gives back the memory that went to no filter. */
  close(): void {
    this.#body?.region.dispose();
  }
}

/** Reads a whole file. Nothing is allocated for it before its header and its length have been checked. */
export function readBytes(bytes: unknown, engine: Engine, kind: Kind): Cells {
  const file = requireBytes('bytes', bytes as Uint8Array);
  const expected = HEADER_BYTES + bodyLengthOf(readHeader(file, kind).cells, kind);
  requireSaved(file.length === expected, `it has ${file.length} of ${expected} bytes`);
  return readNow([file], new Loader(engine, kind, true));
}

/** Reads a file in chunks, at once or as they come. `make` turns what was read into a filter. */
export function readChunks<F>(chunks: unknown, engine: Engine, kind: Kind, make: (cells: Cells) => F): F | Promise<F> {
  const loader = new Loader(engine, kind, false);
  if (isObject(chunks)) {
    if (Symbol.asyncIterator in chunks) return readLater(chunks as AsyncIterable<unknown>, loader).then(make);
    if (Symbol.iterator in chunks) return make(readNow(chunks as Iterable<unknown>, loader));
  }
  throw new TypeError(mustBe('chunks', 'an iterable or async iterable of Uint8Array', chunks));
}

function readNow(chunks: Iterable<unknown>, loader: Loader): Cells {
  try {
    for (const chunk of chunks) loader.push(chunk);
    return loader.end();
  } finally {
    loader.close();
  }
}

async function readLater(chunks: AsyncIterable<unknown>, loader: Loader): Promise<Cells> {
  try {
    for await (const chunk of chunks) loader.push(chunk);
    return loader.end();
  } finally {
    loader.close();
  }
}

/** Bytes are one chunk, not many: they would give numbers. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Reads a file of any of these classes, which stand in the order of their kinds' numbers, from 1 on. */
export function loadAs<F>(bytes: unknown, classes: readonly { fromBytes(bytes: Uint8Array): F }[]): F {
  const file = requireBytes('bytes', bytes as Uint8Array);
  const id = kindIn(file);
  const found = classes[id - 1];
  if (found) return found.fromBytes(file);
  throw new RangeError(`bytes must be a saved filter: its kind is ${id}`);
}
