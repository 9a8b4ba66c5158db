import type { Kind } from '../../filters/kind.ts';
import { type Layer, LayeredCells } from '../../filters/layered-filter.ts';
import { type Head, requireSaved, requireZeros, type Saved } from '../../format/header.ts';
import type { RotatingExports } from '../../kernel/generated/rotating/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { mustBe, requireInteger } from '../../util/checks/validate.ts';
import { BLOCK_BITS, MAX_BLOCKS, WORDS } from '../blocked/sizing.ts';
import { endOf, leastErrorRate, MAX_GENERATIONS, MIN_GENERATIONS, quotaOf, rotatingLayout } from './sizing.ts';

/**
 * The kind's own parameters, and its state. Always a literal in this order, so that all share a hidden class: it is
 * read for each key.
 */
export interface Own {
  readonly generations: number;
  /** The most keys that a generation takes. */
  readonly quota: number;
  /** In milliseconds; 0 without a window. */
  readonly window: number;
  /** The generation that takes keys. */
  current: number;
  /** The number of keys that the current generation has taken. */
  count: number;
  rotations: number;
  /** When the current generation's share of the window began, in milliseconds; 0 without a window. */
  begun: number;
  clock: Clock;
}

/** Returns a time in milliseconds, since 1970 or any other moment. */
type Clock = () => number;

/** The bytes of the kind's own parameters in a file. */
const OWN_BYTES = 48;
const DEFAULT_GENERATIONS = 4;
const MAX_WINDOW: number = 2 ** 45;
/** The bit that `rotating_add_key` sets if the current generation lacks the key and takes no more. */
const FULL = 4;

export const systemClock: Clock = () => Date.now();

export function requireClock(clock: unknown): Clock {
  if (typeof clock !== 'function') throw new TypeError(mustBe('clock', 'a function', clock));
  return clock as Clock;
}

function isTime(time: unknown): time is number {
  return Number.isFinite(time) && (time as number) >= 0;
}

function timeOf(clock: Clock): number {
  const now: unknown = clock();
  // The time is saved, and readers of files check it.
  if (isTime(now)) return now;
  throw new RangeError(mustBe('clock()', 'a time in milliseconds, 0 or later', now));
}

/** Whether these parameters are valid. If so, no generation reaches beyond the last cell. */
function isValid({ parameters }: Head, { generations, quota, window, current, count, rotations, begun }: Own): boolean {
  const blocks = parameters.cellCount / BLOCK_BITS / generations;
  return (
    generations >= MIN_GENERATIONS &&
    generations <= MAX_GENERATIONS &&
    current < generations &&
    Number.isInteger(blocks) &&
    blocks <= MAX_BLOCKS &&
    parameters.capacity > 0 &&
    quota === quotaOf(parameters.capacity, generations) &&
    count <= quota &&
    Number.isSafeInteger(rotations) &&
    // Neither negative, −0 nor endless.
    1 / window > 0 &&
    isTime(begun) &&
    (window > 0 || Object.is(begun, 0))
  );
}

export const ROTATING: Kind<Generations> = {
  id: 5,
  name: 'rotating',
  className: 'RotatingBloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: true,
    forgetsAny: false,
    leastErrorRate: () => leastErrorRate(DEFAULT_GENERATIONS),
  },
  cellName: 'bits',
  cellBits: [1, 1],
  allows: ({ hashes }) => hashes === WORDS,
  own: {
    maxSegments: 1,
    byteLength: () => OWN_BYTES,
    write(view, { generations, current, quota, count, rotations, window, begun }: Own) {
      view.setUint32(0, generations, true);
      view.setUint32(4, current, true);
      [quota, count, rotations].forEach((value, i) => {
        view.setBigUint64(8 + 8 * i, BigInt(value), true);
      });
      view.setFloat64(32, window, true);
      view.setFloat64(40, begun, true);
    },
    read(view, head) {
      requireZeros(view, OWN_BYTES);
      const own: Own = {
        generations: view.getUint32(0, true),
        quota: Number(view.getBigUint64(8, true)),
        window: view.getFloat64(32, true),
        current: view.getUint32(4, true),
        count: Number(view.getBigUint64(16, true)),
        rotations: Number(view.getBigUint64(24, true)),
        begun: view.getFloat64(40, true),
        clock: systemClock,
      };
      const { clock: _, ...shown } = own;
      requireSaved(isValid(head, own), `its parameters are ${Object.values(shown)}`);
      return own;
    },
  },
  sizes: [],
  options: ['generations', 'window', 'clock'],
  shown: ['generations', 'window', 'bits', 'rotations'],
  sizeFor(
    capacity,
    errorRate,
    { generations: given = DEFAULT_GENERATIONS, window: span, clock: source = systemClock },
  ) {
    const generations = requireInteger('generations', given, MIN_GENERATIONS, MAX_GENERATIONS);
    const window = span === undefined ? 0 : requireInteger('window', span, 1, MAX_WINDOW);
    const clock = requireClock(source);
    const { quota, blocks } = rotatingLayout(capacity, errorRate, generations);
    const begun = window && timeOf(clock);
    const own: Own = { generations, quota, window, current: 0, count: 0, rotations: 0, begun, clock };
    return { cellCount: BLOCK_BITS * generations * blocks, hashes: WORDS, own };
  },
  isTimed: ({ own }) => own.window > 0,
  cellsOf: (saved: Saved<Own>) => new Generations(saved),
};

/**
 * Generations of split blocks, each for `quota` keys. Keys go to the current generation. When it is full, or its share
 * of the window is over, the oldest generation is cleared and takes its turn. The linked module computes a key's bits
 * from its hash.
 */
export class Generations extends LayeredCells {
  declare readonly region: RegionWith<RotatingExports>;
  declare readonly own: Own;
  readonly blocks: number;
  /** None with a window, because a batch reads the clock once; else as many as take no longer than a chunk. */
  readonly few: number;
  earlyRotations = 0;
  /** When the last operation began. */
  #now: number;
  /** The time from `endOf`. */
  #end: number;

  constructor(saved: Saved<Own>) {
    const { generations, quota, window, current, count, rotations, begun, clock } = saved.own;
    super({ ...saved, own: { generations, quota, window, current, count, rotations, begun, clock } });
    this.blocks = saved.parameters.cellCount / BLOCK_BITS / generations;
    this.few = window > 0 ? 0 : 12;
    this.#now = begun;
    this.#end = endOf(this.own);
  }

  get kind(): Kind {
    return ROTATING;
  }

  /** Turns to the next generation once for each share of the window that is over. */
  override begin(): void {
    const { generations, window, clock } = this.own;
    if (window === 0) return;
    this.#now = timeOf(clock);
    for (let left = generations; left > 0 && this.#now > this.#end; left--) {
      this.#turn();
      this.#start(this.#end);
    }
    // If even that was not enough, all generations are empty now, and the window begins again.
    if (this.#now > this.#end) this.#start(this.#now);
  }

  rotate(): void {
    this.begin();
    this.#turn();
    this.#start(this.#now);
  }

  #turn(): void {
    const { region, blocks, own } = this;
    own.current = (own.current + 1) % own.generations;
    region.instance.kernel.rotating_clear(region.pointer, blocks, own.generations, own.current);
    own.count = 0;
    // A larger number could not be saved.
    if (own.rotations < Number.MAX_SAFE_INTEGER) own.rotations++;
  }

  /** Lets the current generation's share of the window begin. */
  #start(time: number): void {
    this.own.begun = time;
    this.#end = endOf(this.own);
  }

  #turnEarly(): void {
    this.#turn();
    this.#start(this.#now);
    if (this.own.window > 0) this.earlyRotations++;
  }

  add(count: number): void {
    const { region, blocks, own } = this;
    const { pointer, instance } = region;
    const { kernel, scratch } = instance;
    // The flag that a key got before a generation was cleared to make room for it. Kept, because the cleared generation
    // may have been the only one with the key.
    let flag: number | undefined;
    for (let at = 0; at < count; ) {
      const { generations, current } = own;
      const left = count - at;
      const room = Math.min(left, own.quota - own.count);
      const hashes = scratch.hashes + 16 * at;
      const flags = scratch.flags + at;
      const taken = kernel.rotating_add(pointer, blocks, generations, current, room, hashes, left, flags);
      own.count += taken >>> 16;
      if (flag !== undefined) scratch.flagBytes[at] = flag;
      at += taken & 0xffff;
      flag = scratch.flagBytes[at];
      if (at < count) this.#turnEarly();
    }
  }

  addFlags(count: number): void {
    this.add(count);
  }

  has(count: number): number {
    const { region, blocks, own } = this;
    const { kernel, scratch } = region.instance;
    return kernel.rotating_has(region.pointer, blocks, own.generations, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    this.begin();
    return this.#addKeyNow(key);
  }

  #addKeyNow(key: Key): boolean {
    const { region, seed, blocks, own } = this;
    const { instance, pointer } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) {
      this.add(1);
      return scratch.flagBytes[0] === 1;
    }
    const room = own.count < own.quota ? 1 : 0;
    const { generations, current } = own;
    const { keys } = scratch;
    const added = kernel.rotating_add_key(pointer, blocks, generations, current, room, text, keys, length, seed);
    if (added & FULL) {
      this.#turnEarly();
      this.#addKeyNow(key);
    } else {
      own.count += added >> 1;
    }
    return (added & 1) === 1;
  }

  hasKey(key: Key): boolean {
    this.begin();
    const { region, seed, blocks, own } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.rotating_has_key(region.pointer, blocks, own.generations, text, scratch.keys, length, seed) === 1;
  }

  layers(): Layer[] {
    this.begin();
    const { region, blocks, own } = this;
    const { pointer, instance } = region;
    const { kernel } = instance;
    return Array.from({ length: own.generations }, (_, generation) => ({
      cellCount: BLOCK_BITS * blocks,
      hashes: WORDS,
      used: kernel.rotating_used(pointer, blocks, own.generations, generation),
      errorRate: kernel.rotating_error_rate(pointer, blocks, own.generations, generation),
    }));
  }

  clear(): void {
    const { own } = this;
    // The clock comes first, because it is the user's code and may throw.
    this.#start(own.window && timeOf(own.clock));
    this.region.clear();
    own.current = 0;
    own.count = 0;
    own.rotations = 0;
    this.earlyRotations = 0;
  }
}
