import { copyOf, type Region } from '../kernel/region.ts';
import { isIterable } from '../keys/iterables.ts';
import { requireBytes } from '../keys/key.ts';
import { type ByteSource, isSource, readSource, SOURCES } from '../util/byte-source.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
import { isBuffer } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';
import { Checksum, PART_BYTES } from './checksum.ts';
import {
  type BaseFile,
  type Choose,
  HEADER_BYTES,
  kindIn,
  type Reader,
  type ReadHead,
  readHead,
  requireLength,
  requireSaved,
} from './header.ts';

/** Segments up to this size are reserved whole, in an arena: an instance for each would cost more than it saves. */
const SMALL_BYTES = 2 ** 16;

/** Loads a file from chunks of any size. Memory grows as they arrive, so a false header cannot claim too much. */
class Loader<F> {
  readonly #choose: Choose<F>;
  /** The length of the file, if the whole file was given at once. */
  readonly #wholeLength: number | undefined;
  #chunks = 0;
  /** The head: at first only the header, then all of it. */
  #bytes = new Uint8Array(HEADER_BYTES);
  #reader: Reader<F> | undefined;
  #head: ReadHead | undefined;
  #checksum: Checksum | undefined;
  /** The segments so far, except for the file of a base. */
  #regions: Region[] = [];
  #base: BaseFile | undefined;
  /** The segment that is being filled, one of these. */
  #segment: Region | BaseFile | undefined;
  /** The number of bytes of the file that have arrived. */
  #length = 0;
  /** The offset in the file at which the last segment begins. */
  #start = 0;

  constructor(choose: Choose<F>, wholeLength?: number) {
    this.#choose = choose;
    this.#wholeLength = wholeLength;
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
    const head = readHead(bytes, this.#reader);
    this.#head = head;
    this.#start = head.bodyOffset;
    if (bytes.length < head.bodyOffset) {
      this.#bytes = new Uint8Array(head.bodyOffset);
      this.#bytes.set(bytes);
      return;
    }
    if (this.#wholeLength !== undefined) requireLength(this.#wholeLength, head);
    this.#openSegment();
    this.#checksum = new Checksum(bytes);
  }

  /** Makes room for the next segment. */
  #openSegment(): void {
    const { engine, kind, base } = this.#reader as Reader<F>;
    const { lengths } = this.#head as ReadHead;
    const index = this.#base ? lengths.length : this.#regions.length;
    const length = lengths[index];
    if (length === undefined) throw new SavedFilterError('bytes follow its body');
    const isWhole = this.#wholeLength !== undefined;
    if (base && index === lengths.length - 1) this.#base = kind.wraps?.(base, length, isWhole);
    else this.#regions.push(engine.reserve(length, !isWhole && length > SMALL_BYTES));
    this.#segment = this.#base ?? this.#regions[index];
  }

  /** Takes bytes, at most up to the end of the current part of the body, and returns how many. */
  #take(bytes: Uint8Array, checksum: Checksum): number {
    let at = this.#length - this.#start;
    if (at === this.#segment?.byteLength) {
      this.#openSegment();
      this.#start += at;
      at = 0;
    }
    const segment = this.#segment as Region | BaseFile;
    const start = at - (at % PART_BYTES);
    const end = Math.min(start + PART_BYTES, segment.byteLength);
    const taken = bytes.subarray(0, end - at);
    const next = at + taken.length;
    segment.commit(end);
    segment.view(at, next).set(taken);
    if (next === end) checksum.push(segment.view(start, end), (this.#regions[0] as Region).instance);
    return taken.length;
  }

  end(): F {
    // Always throws, because the header is incomplete.
    if (this.#head === undefined) kindIn(this.#bytes.subarray(0, this.#length));
    const head = this.#head as ReadHead;
    const { parameters, cellBits, own } = head;
    requireLength(this.#length, head);
    const segments = this.#regions as [Region, ...Region[]];
    const sealed = (this.#checksum as Checksum).seal(segments[0].instance);
    const holds = sealed.every((byte, i) => byte === this.#bytes[i]);
    requireSaved(holds, 'its checksum is wrong');
    const last = segments.at(-1) as Region;
    const used = (parameters.cellCount * cellBits) % 8;
    const lastByte = last.bytes[last.byteLength - 1] ?? 0;
    requireSaved(used === 0 || lastByte >> used === 0, 'its padding bits are not zero');
    const { kind, make } = this.#reader as Reader<F>;
    const saved = { parameters, cellBits, own, segments };
    kind.requireCells?.(saved);
    if (this.#wholeLength === undefined) this.#settle();
    const made = make({ ...saved, base: this.#base?.end() });
    this.#regions = [];
    return made;
  }

  /**
   * Moves small segments to arenas: they were read into regions that can grow, each in a WebAssembly instance of its
   * own.
   */
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
    this.#base?.close();
  }
}

/** Reads a whole file. Its length is checked before anything is allocated. */
export function readBytes<F>(bytes: unknown, choose: Choose<F>): F {
  const file = requireBytes('bytes', isBuffer(bytes) ? new Uint8Array(bytes) : (bytes as Uint8Array));
  return readNow([file], new Loader(choose, file.length));
}

/** Reads a file in chunks: at once from an iterable, or as they arrive from a stream, a Blob or a Response. */
export function readChunks<F>(chunks: unknown, choose: Choose<F>): F | Promise<F> {
  const loader = new Loader(choose);
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
    await readSource(source, (chunk) => loader.push(chunk));
    return loader.end();
  } finally {
    loader.close();
  }
}

/** The codes that the error of a base does not keep: they mean that the file around the base is damaged. */
const DROPPED: readonly SavedFilterErrorCode[] = ['FOREIGN', 'TRUNCATED'];

/** Runs a step of loading a base. Its errors say so. */
function ofBase<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SavedFilterError)) throw error;
    const { reason, code, kind } = error;
    throw new SavedFilterError(`its base cannot be loaded: ${reason}`, DROPPED.includes(code) ? 'DAMAGED' : code, kind);
  }
}

/**
 * Takes the file of a filter in the body of another, and loads it.
 *
 * @param choose how to read the file
 * @param length its byte length
 * @param isWhole whether all of it is at hand
 */
export function openBaseFile(choose: Choose<unknown>, length: number, isWhole: boolean): BaseFile {
  const loader = new Loader(choose, isWhole ? length : undefined);
  const part = new Uint8Array(Math.min(PART_BYTES, length));
  let [start, end] = [0, 0];
  const load = (): void => ofBase(() => loader.push(part.subarray(0, end - start)));
  return {
    byteLength: length,
    commit(next) {
      if (next === end) return;
      load();
      [start, end] = [end, next];
    },
    view: (from, to) => part.subarray(from - start, to - start),
    end() {
      load();
      return ofBase(() => loader.end());
    },
    close: () => loader.close(),
  };
}
