import type { Filter } from '../filters/filter.ts';
import { KeyReader } from '../filters/key-reader.ts';
import { KIND } from '../filters/kind.ts';
import { classFor, type LoadableClass, requireClasses } from '../filters/load.ts';
import { flagsFor, Results } from '../filters/results.ts';
import { kindIn, type ReadHead } from '../format/header.ts';
import type { Region } from '../kernel/region.ts';
import type { ManyKeys, Picked } from '../keys/collections.ts';
import { type Key, requireKey } from '../keys/key.ts';
import { ABSENT } from '../kinds/fuse-map/file.ts';
import type { Finding, Hash, Probe, Search } from '../kinds/probe.ts';
import { requireOptions } from '../util/checks/options.ts';
import { requireInteger, requireSignal } from '../util/checks/validate.ts';
import { untilAborted } from '../util/until-aborted.ts';
import { type CheckedSource, closeAfterError, closedError, requireSource } from './checked-source.ts';
import { type FileHead, type HeadReader, readFileHead } from './file-head.ts';
import { cached } from './page-cache.ts';
import { probeFor, requireProbes } from './probes.ts';
import { MAX_READ, RangeReader } from './range-reader.ts';
import type { RangeSource } from './source.ts';
import { verifyFile } from './verify.ts';

/** The options of `openFilter`. */
export interface OpenOptions {
  /** How many bytes of the file may be kept in memory, so that they are not read again, 0 … 2^53 − 1; default 0. */
  cacheBytes?: number | undefined;
  /** Stops opening. */
  signal?: AbortSignal | undefined;
}

/** The options of a lookup. */
export interface LookupOptions {
  /** Stops the lookup. The promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * The parameters in the head of a file, and those that follow from them. `capacity` and `errorRate` are 0 if the filter
 * was made by its size instead.
 */
export interface OpenedParameters
  extends Pick<
    Filter,
    'capacity' | 'errorRate' | 'kind' | 'hashes' | 'seed' | 'cellName' | 'cellCount' | 'cellBits' | 'byteLength'
  > {
  /**
   * The number of reads that a key takes, or fewer if some are near each other. In a fingerprint set, the number that
   * most keys take.
   */
  readonly reads: number;
  /** The number of shards of a sharded fuse filter or a map, 1 for any other: see `ShardedFuseFilter.shardOf`. */
  readonly shards: number;
}

/** The most runs of cells that are read together, for as many keys as have them. */
const MAX_RUNS = 8192;

/** What a lookup answers for a key with these cells. */
type Answer = (cells: Uint32Array, fingerprint: number) => number;

/** A file that was opened: its source, its head, and what hashes keys. */
interface Opened extends FileHead {
  readonly source: CheckedSource;
  readonly Class: LoadableClass;
}

/** Returns the signal of a lookup. Throws its reason if it has aborted: then no key is read. */
function readSignal(options: unknown): AbortSignal | undefined {
  const signal = requireSignal('signal', requireOptions(options, '{ signal }', ['signal'])['signal']);
  signal?.throwIfAborted();
  return signal;
}

/**
 * A filter that is looked up in its file, without loading it: made by `openFilter`. Nothing can be added to it.
 */
export class OpenedFilter {
  readonly #source: CheckedSource;
  readonly #reader: RangeReader;
  readonly #bytes: Uint8Array;
  readonly #head: ReadHead;
  readonly #probe: Probe | Search;
  /** Memory for hashing keys. */
  readonly #region: Region;
  /** What stops reads that are under way. */
  readonly #stops = new Set<AbortController>();
  /** The parameters of the filter, from the head of its file. */
  readonly parameters: OpenedParameters;

  /** @internal */
  constructor({ source, Class, bytes, head }: Opened, cacheBytes: number) {
    const { id, name, cellName } = Class[KIND];
    const { hashes, seed, cellCount } = head.parameters;
    this.#source = source;
    this.#reader = new RangeReader(cacheBytes > 0 ? cached(source, cacheBytes) : source, head.bodyOffset);
    this.#bytes = bytes;
    this.#head = head;
    const probe = probeFor(id, head, Math.min(source.gap, MAX_READ));
    this.#probe = probe;
    this.#region = Class.engine.reserve(1);
    const { cellBits, bodyLength: byteLength } = head;
    const { reads, shards = 1 } =
      'find' in probe ? { reads: probe.reads } : { ...probe, reads: probe.cells / probe.run };
    const sizes = { hashes, seed, cellName, cellCount, cellBits, byteLength, reads, shards };
    const { capacity, errorRate } = { ...head.parameters, ...probe };
    this.parameters = { kind: name, capacity, errorRate, ...sizes };
  }

  /**
   * Whether a key may be present; false means that it is certainly absent.
   *
   * @throws TypeError | RangeError if `key` is not a key; TypeError after `close`; SourceError, or the error of the
   *   source, if the file cannot be read. The promise rejects.
   */
  async has(key: Key, options: LookupOptions = {}): Promise<boolean> {
    requireKey(key);
    const [flag] = await this.hasMany([key], options);
    return flag === 1;
  }

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes; must not change meanwhile
   * @returns a flag for each key, in order: 1 where `has` would return true
   * @throws as `has`; the promise rejects
   */
  async hasMany<K>(keys: ManyKeys<K>, options: LookupOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const signal = readSignal(options);
    const reader = this.#readKeys(keys);
    const flags = flagsFor<ArrayBuffer>(reader.source);
    for (const part of reader.parts()) flags.push(await this.#flagsOf(part, signal));
    return flags.take();
  }

  /**
   * The value of a key in a `FuseMap`; undefined if it is certainly absent.
   *
   * @throws TypeError for another kind; else as `has`. The promise rejects.
   */
  async get(key: Key, options: LookupOptions = {}): Promise<number | undefined> {
    requireKey(key);
    let value: number | undefined;
    await this.#valuesOf([key], options, (found) => {
      value = found;
      return 0;
    });
    return value;
  }

  /**
   * The values of many keys in a `FuseMap`.
   *
   * @returns a value for each key, in order: `FuseMap.ABSENT`, 2^32 − 1, for a key that is certainly absent
   * @throws TypeError for another kind; else as `hasMany`. The promise rejects.
   */
  getMany<K>(keys: ManyKeys<K>, options: LookupOptions = {}): Promise<Uint32Array<ArrayBuffer>> {
    return this.#valuesOf(keys, options, (value = ABSENT) => value);
  }

  /** Gives the values of keys to a function, and collects what it returns. */
  async #valuesOf(
    keys: unknown,
    options: LookupOptions,
    take: (value: number | undefined) => number,
  ): Promise<Uint32Array<ArrayBuffer>> {
    const signal = readSignal(options);
    const { toValue } = this.#probe as Probe;
    if (!toValue) throw new TypeError(`only a map has values, and this is a ${this.parameters.kind} filter`);
    const reader = this.#readKeys(keys);
    const values = new Results(reader.source, undefined, new Uint32Array(0));
    for (const part of reader.parts()) {
      values.push(await this.#answersOf(part, signal, (cells, fingerprint) => take(toValue(cells, fingerprint))));
    }
    return values.take() as Uint32Array<ArrayBuffer>;
  }

  /**
   * Picks the keys that may be present, in the shape of `keys`: see `pick` of filters in memory. `keys` must not change
   * meanwhile.
   *
   * @throws as `has`; the promise rejects
   */
  pick<K>(keys: ManyKeys<K>, options?: LookupOptions): Promise<Picked<K>> {
    return this.#select(keys, 1, options);
  }

  /**
   * Picks the keys that are certainly absent, in the shape of `keys`, as `pick` does.
   *
   * @throws as `has`; the promise rejects
   */
  omit<K>(keys: ManyKeys<K>, options?: LookupOptions): Promise<Picked<K>> {
    return this.#select(keys, 0, options);
  }

  /**
   * Reads the whole file, a few MiB at a time, and checks its checksum. Opening and lookups do not check it, so damage
   * makes their answers wrong.
   *
   * @throws SavedFilterError if the file is damaged; else as `has`. The promise rejects.
   */
  async verify(options: LookupOptions = {}): Promise<void> {
    const verify = (until: AbortSignal | undefined): Promise<void> =>
      verifyFile(this.#source, this.#bytes, this.#head, this.#region, until);
    await this.#untilRead(verify, readSignal(options));
  }

  /**
   * Frees the memory, and closes the source. After that, every lookup throws a TypeError, and running lookups reject
   * with one at once.
   */
  async close(): Promise<void> {
    this.#region.dispose();
    for (const stop of this.#stops) stop.abort(closedError());
    await this.#source.close();
  }

  async #select<K>(keys: ManyKeys<K>, wanted: 0 | 1, options: LookupOptions = {}): Promise<Picked<K>> {
    const signal = readSignal(options);
    const reader = this.#readKeys(keys, true);
    for (const part of reader.parts()) reader.keep(await this.#flagsOf(part, signal), wanted);
    return reader.source.kept() as Picked<K>;
  }

  #requireOpen(): void {
    if (this.#region.disposed) throw closedError();
  }

  #readKeys(keys: unknown, holds = false): KeyReader {
    this.#requireOpen();
    return new KeyReader(keys, { region: this.#region, seed: this.#head.parameters.seed }, 4, holds);
  }

  /** Waits for what reads, until the signal aborts. Rejects with a TypeError if the filter is closed meanwhile. */
  async #untilRead<T>(
    read: (until: AbortSignal | undefined) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    this.#requireOpen();
    signal?.throwIfAborted();
    // Not one for all calls: Node warns of a signal with many listeners.
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    this.#stops.add(stop);
    signal?.addEventListener('abort', abort);
    try {
      // Only if the caller gives one: Node's `fetch` refuses the signals of a DOM that tests run in.
      return await untilAborted(read(signal && stop.signal), stop.signal);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#stops.delete(stop);
      this.#requireOpen();
    }
  }

  /** Looks up hashes. */
  async #flagsOf(words: Uint32Array, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const probe = this.#probe;
    const answer: Answer = (cells, fingerprint) => Number((probe as Probe).holds(cells, fingerprint));
    return Uint8Array.from(await this.#answersOf(words, signal, answer));
  }

  /** Looks up hashes, as many at a time as have some thousand cells. */
  async #answersOf(words: Uint32Array, signal: AbortSignal | undefined, answer: Answer): Promise<Uint32Array> {
    const probe = this.#probe;
    // A copy, because the next part is written over it.
    const halves = new BigUint64Array(words.slice().buffer);
    const answers = new Uint32Array(halves.length / 2);
    const most = Math.max(1, Math.floor(MAX_RUNS / this.parameters.reads));
    for (let from = 0; from < answers.length; from += most) {
      const length = Math.min(most, answers.length - from);
      const hashes = Array.from({ length }, (_, i): Hash => {
        const at = 2 * (from + i);
        return [halves[at] as bigint, halves[at + 1] as bigint];
      });
      const some =
        'find' in probe ? this.#searched(probe, hashes, signal) : this.#probed(probe, hashes, signal, answer);
      answers.set(await some, from);
    }
    return answers;
  }

  /** Reads the cells of all keys at once. */
  async #probed(
    probe: Probe,
    hashes: readonly Hash[],
    signal: AbortSignal | undefined,
    answer: Answer,
  ): Promise<readonly number[]> {
    const { cells, width, run } = probe;
    const bits = new Float64Array(cells * hashes.length);
    const rangeOf = (i: number): [from: number, to: number] => [cells * i, cells * (i + 1)];
    const fingerprints = Uint32Array.from(hashes, (hash, i) => probe.place(hash, bits.subarray(...rangeOf(i))));
    const values = await this.#untilRead((until) => this.#reader.read({ bits, width, run }, until), signal);
    return Array.from(fingerprints, (fingerprint, i) => answer(values.subarray(...rangeOf(i)), fingerprint));
  }

  /** Reads in steps: in each of them for all keys that have not been found, or found to be absent. */
  async #searched(
    search: Search,
    hashes: readonly Hash[],
    signal: AbortSignal | undefined,
  ): Promise<readonly number[]> {
    const findings = hashes.map((hash) => search.find(hash));
    const notYet = (some: readonly Finding[]): Finding[] => some.filter(({ isPresent }) => isPresent === undefined);
    for (let open = notYet(findings); open.length > 0; open = notYet(open)) {
      const starts = Float64Array.from(open, ({ start }) => start);
      const ends = Float64Array.from(open, ({ end }) => end);
      const look = (i: number, bytes: Uint8Array, start: number): void => open[i]?.look(bytes, start);
      await this.#untilRead((until) => this.#reader.visit(starts, ends, look, until), signal);
    }
    return findings.map(({ isPresent }) => Number(isPresent));
  }
}

/**
 * Opens a saved filter for lookups without loading it. Only the head of the file is read now, and later the cells of
 * each key. For few keys in a large file, that takes milliseconds and hardly any memory.
 *
 * ```ts
 * const leaked = await openFilter([BlockedBloomFilter], urlSource('https://example.org/leaked.bloom'));
 * await leaked.has('password1'); // one request
 * ```
 *
 * A key takes a read for each place where its cells may be: one in a blocked, wide or rotating filter, two in a cuckoo
 * filter, and three in a fuse filter or a map. In a scalable filter it takes the reads of all sub-filters, and in other
 * kinds `hashes` reads. The reads of a call are made at the same time, sorted, and joined if they are near. In a
 * fingerprint set, a key takes one to three reads, one after the other. All kinds but `TombstoneFilter` can be opened.
 * Tombstone filters, and filters in the formats of other systems, must be loaded.
 *
 * The head is checked as `loadAny` checks it. The checksum of the whole file is not checked until you call `verify()`.
 *
 * @param classes the classes to choose from, one for each kind, on any engine; with a secret, those that `keyed` made
 * @param source the source of ranges of the file: from `fileSource` of `bloomery/file`, `urlSource` or `blobSource`, or
 *   an object of your own, or a promise of one. `close` of the filter closes the source, and so does an error here.
 * @param options a limit for a cache, and a signal; default `{ cacheBytes: 0 }`
 * @throws SavedFilterError unless the file begins with a valid head of one of these kinds, and has the length that it
 *   says; TypeError | RangeError if an argument is wrong; SourceError, or the error of the source, if the file cannot
 *   be read. The promise rejects.
 */
export async function openFilter(
  classes: readonly LoadableClass[],
  source: RangeSource | Promise<RangeSource>,
  options: OpenOptions = {},
): Promise<OpenedFilter> {
  let checked: CheckedSource | undefined;
  try {
    requireClasses(classes);
    const given = requireOptions(options, '{ cacheBytes: 2 ** 20 }', ['cacheBytes', 'signal']);
    const { cacheBytes: most = 0, signal: until } = given;
    const cacheBytes = requireInteger('cacheBytes', most, 0, Number.MAX_SAFE_INTEGER);
    const signal = requireSignal('signal', until);
    checked = requireSource(await untilAborted(source, signal));
    let Class = classes[0] as LoadableClass;
    const choose = (bytes: Uint8Array): HeadReader => {
      Class = classFor(bytes, classes, "openFilter of 'bloomery/open'");
      requireProbes(kindIn(bytes));
      return { kind: Class[KIND], engine: Class.engine };
    };
    const { bytes, head } = await readFileHead(checked, choose, signal);
    return new OpenedFilter({ source: checked, Class, bytes, head }, cacheBytes);
  } catch (error) {
    const closing = closeAfterError(checked ?? source);
    // Without a source, there is nothing to wait for.
    if (checked) await closing;
    throw error;
  }
}
