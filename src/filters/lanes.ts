import { type Head, requireSaved, type Saved } from '../format/header.ts';
import { ownLayout } from '../format/own.ts';
import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import { BLOCK_BITS, WORDS } from '../sizing-blocked.ts';
import { MAX_BLOCKS } from '../sizing-blocks.ts';
import { MAX_LANES, MIN_LANES, quotaOf, rotatingLayout } from '../sizing-rotating.ts';
import { mustBe, requireInteger } from '../validate.ts';
import type { Kind } from './kind.ts';
import { type Layer, LayeredCells, neverAsked } from './layered-filter.ts';

/**
 * The parameters that only this kind has, and its state. Write it as a literal in this order, as it is read per key.
 */
interface Own {
  readonly lanes: number;
  /** The number of keys that a lane takes. */
  readonly quota: number;
  /** In milliseconds; 0 without a window. */
  readonly window: number;
  /** The lane that takes keys. */
  current: number;
  /** The number of keys that the current lane has taken. */
  count: number;
  rotations: number;
  /** The time, in milliseconds, from which on the current lane's share of the window counts; 0 without a window. */
  begun: number;
  clock: Clock;
}

/** Returns a time in milliseconds, since 1970 or any other moment. */
export type Clock = () => number;

const DEFAULT_LANES = 4;
const MAX_WINDOW: number = 2 ** 45;
/** The bit that `rotating_add_key` sets if the current lane lacks the key and takes no more. */
const FULL = 4;

const systemClock: Clock = () => Date.now();

export function requireClock(clock: unknown): Clock {
  if (typeof clock !== 'function') throw new TypeError(mustBe('clock', 'a function', clock));
  return clock as Clock;
}

function timeOf(clock: Clock): number {
  const now: unknown = clock();
  // The time is saved, and readers of files check it.
  if (typeof now === 'number' && now >= 0 && now < Infinity) return now;
  throw new RangeError(mustBe('clock()', 'a time in milliseconds, 0 or later', now));
}

/** Whether a filter can have these parameters. If so, no lane reaches behind the last cell. */
function isValid({ parameters }: Head, { lanes, quota, window, current, count, rotations, begun }: Own): boolean {
  const blocks = parameters.cellCount / BLOCK_BITS / lanes;
  const isTime = (time: number): boolean => time >= 0 && time < Infinity;
  return (
    lanes >= MIN_LANES &&
    lanes <= MAX_LANES &&
    current < lanes &&
    Number.isInteger(blocks) &&
    blocks <= MAX_BLOCKS &&
    parameters.capacity > 0 &&
    quota === quotaOf(parameters.capacity, lanes) &&
    count <= quota &&
    Number.isSafeInteger(rotations) &&
    isTime(window) &&
    isTime(begun) &&
    (window > 0 || Object.is(begun, 0))
  );
}

export const ROTATING: Kind<Lanes> = {
  id: 5,
  name: 'rotating',
  className: 'RotatingBloomFilter',
  cellName: 'bits',
  cellBits: [1, 1],
  allows: ({ hashes }) => hashes === WORDS,
  own: ownLayout<Own>({
    maxSegments: 1,
    byteLength: () => 48,
    write(view, { lanes, current, quota, count, rotations, window, begun }) {
      view.setUint32(0, lanes, true);
      view.setUint32(4, current, true);
      [quota, count, rotations].forEach((value, i) => {
        view.setBigUint64(8 + 8 * i, BigInt(value), true);
      });
      view.setFloat64(32, window, true);
      view.setFloat64(40, begun, true);
    },
    read(view, head) {
      const own: Own = {
        lanes: view.getUint32(0, true),
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
  }),
  sizes: [],
  options: ['lanes', 'window', 'clock'],
  shown: ['lanes', 'window', 'bits', 'rotations'],
  sizeFor(capacity, errorRate, { lanes: given = DEFAULT_LANES, window: span, clock: source = systemClock }) {
    const lanes = requireInteger('lanes', given, MIN_LANES, MAX_LANES);
    const window = span === undefined ? 0 : requireInteger('window', span, 1, MAX_WINDOW);
    const clock = requireClock(source);
    const { quota, blocks } = rotatingLayout(capacity, errorRate, lanes);
    const begun = window && timeOf(clock);
    const own: Own = { lanes, quota, window, current: 0, count: 0, rotations: 0, begun, clock };
    return { cellCount: BLOCK_BITS * lanes * blocks, hashes: WORDS, own };
  },
  sizeOf: neverAsked,
  errorRateAt: neverAsked,
  isTimed: ({ own }) => own.window > 0,
  cellsOf: (saved: Saved<RotatingExports, Own>) => new Lanes(saved),
};

/**
 * Lanes of split blocks, each for `quota` keys. Keys go to the current lane. When it is full, or its share of the
 * window is over, the oldest lane is cleared and takes its turn. The linked module derives the bits of a key.
 */
export class Lanes extends LayeredCells<RotatingExports> {
  declare readonly own: Own;
  readonly blocks: number;
  earlyRotations = 0;
  /** When the last operation began. */
  #now: number;

  constructor(saved: Saved<RotatingExports, Own>) {
    const { lanes, quota, window, current, count, rotations, begun, clock } = saved.own;
    super({ ...saved, own: { lanes, quota, window, current, count, rotations, begun, clock } });
    this.blocks = saved.parameters.cellCount / BLOCK_BITS / lanes;
    this.#now = begun;
  }

  get kind(): Kind {
    return ROTATING;
  }

  /** Turns to as many lanes as the time demands. */
  begin(): void {
    const { own } = this;
    const { lanes, window, clock } = own;
    if (window === 0) return;
    this.#now = timeOf(clock);
    const due = Math.floor(((this.#now - own.begun) * (lanes - 1)) / window);
    for (let i = Math.min(due, lanes); i > 0; i--) this.#turn();
    if (due > 0) own.begun = due < lanes ? own.begun + (due * window) / (lanes - 1) : this.#now;
  }

  rotate(): void {
    this.begin();
    this.#turn();
    this.own.begun = this.#now;
  }

  #turn(): void {
    const { region, blocks, own } = this;
    own.current = (own.current + 1) % own.lanes;
    region.instance.kernel.rotating_clear(region.pointer, blocks, own.lanes, own.current);
    own.count = 0;
    own.rotations++;
  }

  #turnEarly(): void {
    this.#turn();
    this.own.begun = this.#now;
    if (this.own.window > 0) this.earlyRotations++;
  }

  add(count: number): void {
    const { region, blocks, own } = this;
    const { pointer, instance } = region;
    const { kernel, scratch } = instance;
    // The flag of the key for which a lane was cleared: that lane may have been the only one that had it.
    let flag: number | undefined;
    for (let at = 0; at < count; ) {
      const { lanes, current } = own;
      const left = count - at;
      const room = Math.min(left, own.quota - own.count);
      const hashes = scratch.hashes + 16 * at;
      const flags = scratch.flags + at;
      const taken = kernel.rotating_add(pointer, blocks, lanes, current, room, hashes, left, flags);
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
    return kernel.rotating_has(region.pointer, blocks, own.lanes, scratch.hashes, count, scratch.flags);
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
    const { lanes, current } = own;
    const { keys } = scratch;
    const added = kernel.rotating_add_key(pointer, blocks, lanes, current, room, text, keys, length, seed);
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
    return kernel.rotating_has_key(region.pointer, blocks, own.lanes, text, scratch.keys, length, seed) === 1;
  }

  layers(): Layer[] {
    this.begin();
    const { region, blocks, own } = this;
    const { pointer, instance } = region;
    const { kernel } = instance;
    return Array.from({ length: own.lanes }, (_, lane) => ({
      cellCount: BLOCK_BITS * blocks,
      hashes: WORDS,
      used: kernel.rotating_used(pointer, blocks, own.lanes, lane),
      errorRate: kernel.rotating_error_rate(pointer, blocks, own.lanes, lane),
    }));
  }

  clear(): void {
    const { own } = this;
    // First, because it is the user's code, which may throw.
    own.begun = own.window && timeOf(own.clock);
    this.region.clear();
    own.current = 0;
    own.count = 0;
    own.rotations = 0;
    this.earlyRotations = 0;
  }
}
