import { type ByteSource, isSource, openSource, SOURCES } from '../chunks.ts';
import { copyOf, type Engine, type Region } from '../kernel/region.ts';
import { requireBytes } from '../keys/key.ts';
import { isIterable } from '../keys/many.ts';
import { mustBe } from '../validate.ts';
import { Checksum, PIECE_BYTES } from './checksum.ts';
import {
  type FileKind,
  HEADER_BYTES,
  kindIn,
  type ReadHead,
  readHead,
  requireSaved,
  type Saved,
  savedError,
} from './header.ts';

/** How to read a file: its kind, the engine that holds it, and what to make from it. */
export interface Reader<F> {
  readonly kind: FileKind;
  readonly engine: Engine;
  make(saved: Saved): F;
}

/** Chooses how to read a file, given its header. */
type Choose<F> = (header: Uint8Array) => Reader<F>;

/** Smaller segments are reserved whole, in an arena: an instance for each would cost more than it can save. */
const SMALL_BYTES = 2 ** 16;

/** Loads a file from chunks of any size. Memory grows as they arrive, so a false header cannot claim more. */
class Loader<F> {
  readonly #choose: Choose<F>;
  /** Whether the file is known to have the length that its header states. */
  readonly #isWhole: boolean;
  #chunks = 0;
  /** The head: at first only the header, then all of it. */
  #bytes = new Uint8Array(HEADER_BYTES);
  #reader: Reader<F> | undefined;
  #head: ReadHead | undefined;
  #checksum: Checksum | undefined;
  /** The segments so far. The last one is being filled. */
  #regions: Region[] = [];
  /** The number of bytes of the file that have arrived. */
  #length = 0;
  /** The offset in the file at which the last segment begins. */
  #start = 0;

  constructor(choose: Choose<F>, isWhole: boolean) {
    this.#choose = choose;
    this.#isWhole = isWhole;
  }

  push(given: unknown): void {
    let rest = requireBytes(`chunks[${this.#chunks++}]`, given as Uint8Array);
    while (rest.length > 0) {
      const taken = this.#checksum ? this.#take(rest, this.#checksum) : this.#takeHead(rest);
      this.#length += taken;
      rest = rest.subarray(taken);
    }
  }

  #takeHead(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#bytes.length - this.#length);
    this.#bytes.set(taken, this.#length);
    if (this.#length + taken.length === this.#bytes.length) this.#open();
    return taken.length;
  }

  #open(): void {
    const bytes = this.#bytes;
    this.#reader = this.#choose(bytes);
    const head = readHead(bytes, this.#reader.kind);
    this.#head = head;
    this.#start = head.bodyOffset;
    if (bytes.length < head.bodyOffset) {
      this.#bytes = new Uint8Array(head.bodyOffset);
      this.#bytes.set(bytes);
      return;
    }
    this.#openSegment();
    this.#checksum = new Checksum(bytes, head.lengths);
  }

  /** Reserves the next segment. */
  #openSegment(): Region {
    const { engine } = this.#reader as Reader<F>;
    const length = this.#head?.lengths[this.#regions.length];
    if (length === undefined) throw savedError('bytes follow its body');
    const region = engine.reserve(length, !this.#isWhole && length > SMALL_BYTES);
    this.#regions.push(region);
    return region;
  }

  /** Takes bytes, at most up to the end of the current piece of the body, and returns how many. */
  #take(bytes: Uint8Array, checksum: Checksum): number {
    let region = this.#regions.at(-1) as Region;
    let at = this.#length - this.#start;
    if (at === region.byteLength) {
      region = this.#openSegment();
      this.#start += at;
      at = 0;
    }
    const { byteLength, pointer } = region;
    const start = at - (at % PIECE_BYTES);
    const end = Math.min(start + PIECE_BYTES, byteLength);
    const taken = bytes.subarray(0, end - at);
    region.commit(end);
    const { instance } = region;
    new Uint8Array(instance.memory.buffer, pointer + at, taken.length).set(taken);
    if (at + taken.length === end) {
      checksum.push(new Uint8Array(instance.memory.buffer, pointer + start, end - start), instance);
    }
    return taken.length;
  }

  end(): F {
    // Throws: the header is incomplete.
    if (this.#head === undefined) kindIn(this.#bytes.subarray(0, this.#length));
    const { parameters, cellBits, own, bodyOffset, bodyLength } = this.#head as ReadHead;
    const expected = bodyOffset + bodyLength;
    requireSaved(this.#length === expected, `it has ${this.#length} of ${expected} bytes`);
    const segments = this.#regions as [Region, ...Region[]];
    const sealed = (this.#checksum as Checksum).seal(segments[0].instance);
    const holds = sealed.every((byte, i) => byte === this.#bytes[i]);
    requireSaved(holds, 'its checksum is wrong');
    const last = segments.at(-1) as Region;
    const used = (parameters.cellCount * cellBits) % 8;
    const lastByte = last.bytes[last.byteLength - 1] ?? 0;
    requireSaved(used === 0 || lastByte >> used === 0, 'bits behind its last cell are set');
    if (!this.#isWhole) this.#settle();
    const made = (this.#reader as Reader<F>).make({ parameters, cellBits, own, segments });
    this.#regions = [];
    return made;
  }

  /** Moves segments to arenas, because each region that can grow has its own instance. */
  #settle(): void {
    const { engine } = this.#reader as Reader<F>;
    for (const [i, region] of this.#regions.entries()) {
      if (region.byteLength <= SMALL_BYTES || region.byteLength > engine.sharing.most) continue;
      this.#regions[i] = copyOf(region, engine);
      region.dispose();
    }
  }

  /** Frees the memory of a load that failed. */
  close(): void {
    for (const region of this.#regions) region.dispose();
  }
}

/** Reads a whole file. Its head and length are checked before anything is allocated. */
export function readBytes<F>(bytes: unknown, choose: Choose<F>): F {
  const file = requireBytes('bytes', bytes as Uint8Array);
  const { bodyOffset, bodyLength } = readHead(file, choose(file).kind);
  const expected = bodyOffset + bodyLength;
  requireSaved(file.length === expected, `it has ${file.length} of ${expected} bytes`);
  return readNow([file], new Loader(choose, true));
}

/** Reads a file in chunks: now from an iterable, or as they arrive from any other source. */
export function readChunks<F>(chunks: unknown, choose: Choose<F>): F | Promise<F> {
  const loader = new Loader(choose, false);
  if (isSource(chunks)) return readLater(chunks, loader);
  // Iterating over bytes would give numbers.
  if (isIterable(chunks) && !ArrayBuffer.isView(chunks)) return readNow(chunks, loader);
  throw new TypeError(mustBe('chunks', `an iterable or ${SOURCES}`, chunks));
}

function readNow<F>(chunks: Iterable<unknown>, loader: Loader<F>): F {
  try {
    for (const chunk of chunks) loader.push(chunk);
    return loader.end();
  } finally {
    loader.close();
  }
}

async function readLater<F>(source: ByteSource, loader: Loader<F>): Promise<F> {
  try {
    // Not `for await`: in WebKit, streams are not iterable.
    await openSource(source).pipeTo(new WritableStream({ write: (chunk) => loader.push(chunk) }));
    return loader.end();
  } finally {
    loader.close();
  }
}
