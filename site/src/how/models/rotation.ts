// A rotating filter with a clock that the reader turns.

import type { RotatingBloomFilter } from 'bloomery/rotating';
import { type Engine, entryOn } from '../../engine.ts';
import { plural } from '../../format.ts';
import { nameAt } from '../small/names.ts';
import { cellsOf } from '../small/saved-cells.ts';

export const GENERATIONS = 4;
export const WINDOW_SECONDS = 30;
const CAPACITY = 30;
const SECOND = 1000;
const BLOCK_BITS = 256;
/** Keys that come at once. */
const BURST = 10;
/** Where a file has the number of the generation that takes keys: see docs/format.md. */
const CURRENT = 64 + 4;
/** The most things that an address can say were done, and the most seconds of one. */
const MOST_EVENTS = 60;
const MOST_SECONDS = 600;
/** How many keys are shown. */
export const SHOWN = 48;

/** Seconds that pass, with a key in each, or a burst of keys. */
export type Event = number | 'burst';

export function appendEvent(events: readonly Event[], event: Event): Event[] {
  const last = events.at(-1);
  if (typeof event !== 'number' || typeof last !== 'number') return [...events, event];
  return [...events.slice(0, -1), last + event];
}

/** `12.b.30` */
export function eventsText(events: readonly Event[]): string | undefined {
  if (events.length > MOST_EVENTS || events.some((event) => Number(event) > MOST_SECONDS)) return undefined;
  return events.map((event) => (event === 'burst' ? 'b' : String(event))).join('.');
}

/** The events in an address; what cannot be read is left out. */
export function eventsIn(text: string): Event[] {
  const events = text.split('.', MOST_EVENTS).flatMap((part): Event[] => {
    if (part === 'b') return ['burst'];
    const seconds = /^\d{1,3}$/.test(part) ? Number(part) : 0;
    return seconds > 0 && seconds <= MOST_SECONDS ? [seconds] : [];
  });
  return events.reduce<Event[]>(appendEvent, []);
}

export class Rotation {
  readonly #filter: RotatingBloomFilter;
  readonly #clock: { now: number };
  #keys: { readonly name: string; readonly at: number }[] = [];
  #count = 0;
  #events: readonly Event[] = [];

  private constructor(filter: RotatingBloomFilter, clock: { now: number }) {
    this.#filter = filter;
    this.#clock = clock;
  }

  static async create(engine: Engine, events: readonly Event[]): Promise<Rotation> {
    const { RotatingBloomFilter } = await entryOn(engine, 'rotating');
    const time = { now: 0 };
    const options = {
      capacity: CAPACITY,
      window: WINDOW_SECONDS * SECOND,
      generations: GENERATIONS,
      clock: () => time.now,
    };
    const rotation = new Rotation(new RotatingBloomFilter(options), time);
    for (const event of events) rotation.pass(event);
    return rotation;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  get seconds(): number {
    return this.#clock.now / SECOND;
  }

  get rotations(): number {
    return this.#filter.rotations;
  }

  /** How often a generation was cleared before its time, because too many keys came. */
  get earlyRotations(): number {
    return this.#filter.earlyRotations;
  }

  get count(): number {
    return this.#count;
  }

  #add(): void {
    const name = nameAt(this.#count++);
    this.#filter.add(name);
    this.#keys = [...this.#keys.slice(1 - SHOWN), { name, at: this.#clock.now }];
  }

  pass(event: Event): void {
    this.#events = appendEvent(this.#events, event);
    if (event === 'burst') {
      for (let i = 0; i < BURST; i++) this.#add();
      return;
    }
    for (let i = 0; i < event; i++) {
      this.#clock.now += SECOND;
      this.#add();
    }
  }

  get generations() {
    // Reading the number of rotations does not look at the clock; a lookup does.
    this.#filter.has('');
    const saved = this.#filter.toBytes();
    const current = new DataView(saved.buffer, saved.byteOffset).getUint32(CURRENT, true);
    const cells = cellsOf(saved);
    return Array.from({ length: GENERATIONS }, (_, generation) => ({
      bits: cells.filter((_bit, at) => Math.floor(at / BLOCK_BITS) % GENERATIONS === generation),
      isCurrent: generation === current,
    }));
  }

  /** The latest keys, the oldest first: how many seconds ago each came, and whether it is found. */
  get seen() {
    const { now } = this.#clock;
    return this.#keys.map(({ name, at }) => ({ name, age: (now - at) / SECOND, isFound: this.#filter.has(name) }));
  }
}

/** @param before the numbers of rotations before */
export function describeRotation(
  rotation: Rotation,
  event: Event,
  before: { readonly rotations: number; readonly earlyRotations: number },
): string {
  const what =
    event === 'burst' ? `${BURST} keys came at once.` : `${plural(event, 'second')} passed, with a key in each.`;
  const turns = rotation.rotations - before.rotations;
  const early = rotation.earlyRotations - before.earlyRotations;
  const turned =
    turns === 0
      ? ''
      : ` ${turns === 1 ? 'The oldest generation was' : `${turns} generations were`} cleared, and took the next keys.`;
  const tooEarly = early === 0 ? '' : ' That was before its time: the generation in use was full.';
  const found = rotation.seen.filter(({ isFound }) => isFound).length;
  return `${what}${turned}${tooEarly} Of the last ${plural(rotation.seen.length, 'key')}, ${found} are remembered.`;
}
