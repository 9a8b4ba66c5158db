// What somebody can do who knows the hash of a filter, and to a filter whose hash has a secret.

import type { BloomFilter } from 'bloomery';
import { type Engine, entryOn } from '../../engine.ts';
import { integer, percent } from '../../format.ts';
import { absentNames, nameAt } from '../small/names.ts';
import { cellsOf } from '../small/saved-cells.ts';

export const BITS = 1024;
const HASHES = 7;
/** So many keys at 1 % of errors. */
const HONEST = 60;
const AT_ONCE = 20;
const ASKED = 50;
/** Where the names that are tried begin among all names, and how many are. All these names are different ones. */
const FORGED = { first: 100_000, most: 150_000 } as const;
const CHOSEN = { first: 300_000, most: 15_000 } as const;
export const MOST_ACTIONS = 12;

/** `o` adds ordinary keys, `c` keys that an attacker has chosen. */
export type Attack = 'o' | 'c';

const sides = ['open', 'keyed'] as const;
export type Side = (typeof sides)[number];
export type Both<T> = Readonly<Record<Side, T>>;

function both<T>(make: (side: Side) => T): Both<T> {
  return { open: make('open'), keyed: make('keyed') };
}

/** Names that were found by trying. */
export interface Forged {
  readonly keys: readonly string[];
  readonly tried: number;
}

/** A filter whose hash everybody knows, and one with a secret, both with the same keys. */
export class Target {
  readonly #filters: Both<BloomFilter>;
  readonly #single: BloomFilter;
  readonly #engine: Engine;
  #ordinary = 0;
  #keys = 0;
  #tried = 0;

  private constructor(engine: Engine, filters: Both<BloomFilter>) {
    this.#engine = engine;
    this.#filters = filters;
    this.#single = new engine.BloomFilter({ bits: BITS, hashes: HASHES });
    this.#addOrdinary(HONEST);
  }

  /** @param secret 16 bytes; by default others each time */
  static async create(engine: Engine, secret?: Uint8Array): Promise<Target> {
    const { keyed, generateSecret } = await entryOn(engine, 'keyed');
    const { BloomFilter } = engine;
    const KeyedFilter = keyed(BloomFilter, secret ?? generateSecret());
    const size = { bits: BITS, hashes: HASHES };
    return new Target(engine, { open: new BloomFilter(size), keyed: new KeyedFilter(size) });
  }

  get keys(): number {
    return this.#keys;
  }

  get bits(): Both<number[]> {
    return both((side) => cellsOf(this.#filters[side].toBytes()));
  }

  get fill(): Both<number> {
    return both((side) => this.#filters[side].fillRatio());
  }

  /** How many of many names that nobody added look present. */
  get wrong(): Both<number> {
    return both((side) => this.#filters[side].pick(absentNames).length);
  }

  /** The same by the formula, for keys that nobody has chosen. */
  get expected(): number {
    return absentNames.length * this.#engine.expectedErrorRate(this.#keys, BITS, HASHES);
  }

  #add(keys: readonly string[]): void {
    for (const side of sides) this.#filters[side].addMany(keys);
    this.#keys += keys.length;
  }

  #addOrdinary(count: number): void {
    this.#add(Array.from({ length: count }, () => nameAt(this.#ordinary++)));
  }

  /** Adds keys, and returns their number: fewer than usual if no more can be chosen. */
  act(action: Attack): number {
    const before = this.#keys;
    if (action === 'o') this.#addOrdinary(AT_ONCE);
    else this.#addChosen();
    return this.#keys - before;
  }

  /** Adds keys all of whose bits are 0 in the open filter, found by trying names on a copy of it. */
  #addChosen(): void {
    const copy = this.#engine.BloomFilter.fromBytes(this.#filters.open.toBytes());
    const chosen: string[] = [];
    for (let i = 0; i < CHOSEN.most && chosen.length < AT_ONCE; i++) {
      const name = nameAt(CHOSEN.first + this.#tried++);
      this.#single.clear();
      this.#single.add(name);
      const before = copy.fillRatio();
      const fresh = Math.round(BITS * (this.#single.merge(copy).fillRatio() - before));
      if (fresh < HASHES) continue;
      chosen.push(name);
      copy.add(name);
    }
    this.#add(chosen);
  }

  /** Finds names that nobody added, but that look present in a copy of the open filter. */
  forge(): Forged {
    const names = Array.from({ length: FORGED.most }, (_, i) => nameAt(FORGED.first + i));
    const keys = this.#filters.open.pick(names).slice(0, ASKED);
    const last = keys.length < ASKED ? names.length - 1 : names.indexOf(keys.at(-1) as string);
    return { keys, tried: last + 1 };
  }

  /** How many of these keys look present. */
  ask(keys: readonly string[]): Both<number> {
    return both((side) => this.#filters[side].pick(keys).length);
  }
}

/** What was done, as letters in an address. */
export function actionsIn(text: string | null): Attack[] {
  return [...(text ?? '')]
    .filter((letter): letter is Attack => letter === 'o' || letter === 'c')
    .slice(0, MOST_ACTIONS);
}

export function describeAsked({ keys, tried }: Forged, { open, keyed }: Both<number>): string {
  const count = integer(keys.length);
  if (keys.length === 0)
    return `None of ${integer(tried)} names looks present in the attacker’s copy of the open filter.`;
  return (
    `The attacker tried ${integer(tried)} names on a copy of the open filter, and sends the ${count} that look present ` +
    `there. Nobody had added them. The open filter lets ${integer(open)} of ${count} through, the keyed one ` +
    `${integer(keyed)}.`
  );
}

export function describeAdded(action: Attack, added: number, fill: Both<number>, wrong: Both<number>): string {
  if (added === 0) return 'No more keys can be chosen: none is left all of whose bits are 0 in the open filter.';
  const what = action === 'o' ? 'ordinary keys' : 'keys, each chosen so that all its bits were 0 in the open filter';
  const share = (side: Side): string => percent(Math.round(1000 * fill[side]) / 1000);
  return (
    `Added ${integer(added)} ${what}. Now ${share('open')} of the bits are set in the open filter and ` +
    `${share('keyed')} in the keyed one, and ${integer(wrong.open)} and ${integer(wrong.keyed)} of ` +
    `${integer(absentNames.length)} other names look present.`
  );
}
