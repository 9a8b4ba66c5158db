// What is done with fingerprint sets in any order, on both engines, with a secret and without one. Each answer is compared
// with that of a `Set` of the same keys, and files with those of the oracle. A case compares a thousand answers or more.

import type { FingerprintSet } from '../../../src/entries/fingerprint-set.ts';
import type { Key } from '../../../src/index.ts';
import { everyKind, type KindOnEngine } from '../../shared/kinds.ts';
import { fingerprintBytes } from '../../shared/oracle.ts';
import { concat } from '../../shared/stream-tools.ts';
import { areSame, pick, type Random, type Reader, require } from '../subject.ts';

type SetClass = typeof FingerprintSet;

const HEADER = 64;
/** The most keys whose file is compared with that of the oracle, which is slow. */
const FEW = 200;
/** More than this take several pages. */
const MANY = 40_000;
const rows = everyKind.filter(({ kind }) => kind === 'fingerprint-set');

/** What is done, and the keys that the set must hold. */
class Trial {
  readonly random: Random;
  readonly seed: number;
  /** All keys that are added or asked for. */
  readonly all: readonly Key[];
  readonly #row: KindOnEngine;
  set: FingerprintSet;
  model = new Set<Key>();
  answers = 0;

  constructor(random: Random) {
    this.random = random;
    this.#row = pick(random, rows);
    this.seed = this.#row.seedOf(random(2 ** 32));
    this.all = Array.from({ length: random(16) === 0 ? MANY : 1 + random(FEW) }, (_, i) =>
      i % 3 === 0 ? `key ${i}` : i,
    );
    this.set = new this.Class({ seed: this.seed, capacity: random(2) * random(50_000) });
  }

  /** The class on this engine, or on the other one. */
  get Class(): SetClass {
    return this.#row.Filter as object as SetClass;
  }

  get Twin(): SetClass {
    return this.#row.Twin as object as SetClass;
  }

  key(): Key {
    return pick(this.random, this.all);
  }

  /** Some keys, of which some may be the same. */
  keys(): Key[] {
    return Array.from({ length: this.random(Math.min(this.all.length, 6000) + 1) }, () => this.key());
  }

  same(answer: boolean, expected: boolean): void {
    require(answer === expected, `the answer is ${expected}`);
    this.answers++;
  }

  /** Compares lists of keys, or of flags. */
  sameAll(answers: ArrayLike<unknown>, expected: ArrayLike<unknown>): void {
    require(answers.length === expected.length, `there are ${expected.length} answers`);
    for (let i = 0; i < expected.length; i++) require(answers[i] === expected[i], `answer ${i} is ${expected[i]}`);
    this.answers += Math.max(1, expected.length);
  }

  /** Goes on with another set, which must hold these keys. */
  become(set: FingerprintSet, model: Set<Key>): void {
    if (set !== this.set) this.set.dispose();
    this.set = set;
    this.model = model;
    const expected = this.all.map((key) => Number(model.has(key)));
    this.sameAll(set.hasMany(this.all), expected);
  }

  /** Adds a key to the model, and returns whether it was absent. */
  addTo(key: Key): boolean {
    return this.model.size < this.model.add(key).size;
  }
}

type Operation = (trial: Trial) => void;
/** What the model answers about a key, and changes if the set does. */
type Answer = (trial: Trial, key: Key) => boolean;

const isNew: Answer = (trial, key) => trial.addTo(key);
const isRemoved: Answer = ({ model }, key) => model.delete(key);
const isKnown: Answer = ({ model }, key) => model.has(key);
const isUnknown: Answer = ({ model }, key) => !model.has(key);

/** Asks for keys one by one. */
const singly = (verb: 'add' | 'remove' | 'has', answer: Answer): Operation => {
  return (trial) => {
    const keys = trial.keys();
    const answers = keys.map((key) => trial.set[verb](key));
    const expected = keys.map((key) => answer(trial, key));
    trial.sameAll(answers, expected);
  };
};

/** Asks for flags of many keys. */
const flagged = (verb: 'addMany' | 'removeMany', answer: Answer): Operation => {
  return (trial) => {
    const keys = trial.keys();
    const flags = new Uint8Array(keys.length);
    trial.set[verb](keys, flags);
    const expected = keys.map((key) => Number(answer(trial, key)));
    trial.sameAll(flags, expected);
  };
};

/** Asks for some of many keys. */
const chosen = (verb: 'pick' | 'omit' | 'dedupe', answer: Answer): Operation => {
  return (trial) => {
    const keys = trial.keys();
    const found = trial.set[verb](keys);
    const expected = keys.filter((key) => answer(trial, key));
    trial.sameAll(found, expected);
  };
};

const operations: Readonly<Record<string, Operation>> = {
  add: singly('add', isNew),
  remove: singly('remove', isRemoved),
  has: singly('has', isKnown),
  addMany: flagged('addMany', isNew),
  removeMany: flagged('removeMany', isRemoved),
  pick: chosen('pick', isKnown),
  omit: chosen('omit', isUnknown),
  dedupe: chosen('dedupe', isNew),
  clear(trial) {
    // Seldom, so that sets have keys.
    if (trial.random(8) > 0) return;
    trial.set.clear();
    trial.become(trial.set, new Set());
  },
  clone: (trial) => trial.become(trial.set.clone(), trial.model),
  union: (trial) => combine(trial, 'union', (model, keys) => new Set([...model, ...keys])),
  merge: (trial) => combine(trial, 'merge', (model, keys) => new Set([...model, ...keys])),
  intersection: (trial) => combine(trial, 'intersection', (model, keys) => only(model, (key) => keys.has(key))),
  difference: (trial) => combine(trial, 'difference', (model, keys) => only(model, (key) => !keys.has(key))),
  equals(trial) {
    const { Class, seed, set, model } = trial;
    using same = Class.from(model, { seed });
    trial.same(set.equals(same), true);
    const key = trial.key();
    if (!same.remove(key)) same.add(key);
    trial.same(set.equals(same), false);
  },
  toBytes(trial) {
    const { Class, Twin, random, seed, set, model } = trial;
    const file = set.toBytes();
    require(areSame(concat([...set.toChunks()]), file), 'chunks are the file');
    if (model.size <= FEW)
      require(areSame(file.subarray(HEADER), fingerprintBytes(model, seed)), 'the file is in order');
    Twin.fromBytes(file).dispose();
    trial.become(random(2) === 0 ? Class.fromBytes(file) : Class.fromChunks([file]), model);
  },
};

function only(keys: Set<Key>, isWanted: (key: Key) => boolean): Set<Key> {
  return new Set([...keys].filter(isWanted));
}

/** Combines the set with another one, and goes on with what that gives. */
function combine(
  trial: Trial,
  verb: 'union' | 'merge' | 'intersection' | 'difference',
  expect: (model: Set<Key>, keys: Set<Key>) => Set<Key>,
): void {
  const keys = trial.keys();
  using other = trial.Class.from(keys, { seed: trial.seed });
  trial.become(trial.set[verb](other), expect(trial.model, new Set(keys)));
  require(other.count === new Set(keys).size, 'the other set stays as it is');
}

const names = Object.keys(operations);

export const setReaders: readonly Reader[] = [
  {
    name: 'operations of a fingerprint set',
    share: 1000,
    run(subject) {
      const trial = new Trial(subject.random);
      subject.input = `${trial.Class.engine.name}, seed ${trial.seed}, ${trial.all.length} keys:`;
      while (trial.answers < 1000) {
        const name = pick(subject.random, names);
        subject.input += ` ${name}`;
        operations[name]?.(trial);
        require(trial.set.count === trial.model.size, `there are ${trial.model.size} keys`);
      }
      trial.set.dispose();
      return 'read';
    },
  },
];
