// The labels of many keys: those that they are added with, and those that they seem to have.

import { Results } from '../../filters/results.ts';
import { requireBytes } from '../../keys/key.ts';
import type { Source } from '../../keys/source.ts';
import {
  arrayError,
  bufferOf,
  byteOffsetOf,
  isLost,
  lengthOf,
  typedArrayName,
} from '../../util/checks/typed-arrays.ts';
import { mustBe, requireInteger } from '../../util/checks/validate.ts';
import { EMPTY } from '../../util/with-room.ts';

/** A label for each of many keys. */
export type LabelArray = readonly number[] | Uint8Array | Uint16Array;

/** The most labels with which a label fits into a byte. */
const MOST_IN_BYTE = 255;

function isLabel(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 1 && value <= most && Number.isInteger(value);
}

/** Returns a label if it is an integer from 1 to `most`; else throws an error that calls it `name`. */
export function requireLabel(name: string, label: unknown, most: number): number {
  // Checked here first, because `requireInteger` makes its message beforehand, which takes longer than adding a key.
  return isLabel(label, most) ? label : requireInteger(name, label, 1, most);
}

function isLabelArray(value: unknown): value is LabelArray {
  const name = typedArrayName(value);
  if (name === undefined) return Array.isArray(value);
  return (name === 'Uint8Array' || name === 'Uint16Array') && !isLost(value as Uint8Array);
}

/** Throws unless there is a label for each key of the source. */
function requireLength(source: Source, labels: LabelArray): void {
  if (source.count === undefined) {
    throw new TypeError(mustBe('labels', 'one label for all keys, because the number of keys is unknown', labels));
  }
  const count = source.count();
  const { length } = labels;
  if (length !== count) throw new RangeError(`labels must have a label for each of ${count} keys, got ${length}`);
}

/** The labels that a batch of keys is added with. */
export class KeyLabels {
  readonly #most: number;
  /** The label of all keys; 0 if each has its own. */
  readonly #same: number;
  readonly #each: Uint16Array = new Uint16Array(0);
  /** The number of labels before the first wrong one. */
  readonly #valid: number = 0;
  /** The first wrong label. */
  readonly #wrong: unknown;

  /**
   * Copies labels, because reading them may run user code, and another thread may change them later.
   *
   * @param labels one label for all keys, or an array with a label for each key of the source
   * @throws TypeError | RangeError for anything else, but not for what is in an array
   */
  constructor(labels: unknown, source: Source, most: number) {
    this.#most = most;
    this.#same = 0;
    if (typeof labels === 'number') {
      this.#same = requireLabel('labels', labels, most);
      return;
    }
    if (!isLabelArray(labels)) {
      throw arrayError('labels', `an integer from 1 to ${most}, or an array of them for all keys`, labels);
    }
    requireLength(source, labels);
    const each = new Uint16Array(labels.length);
    let valid = 0;
    for (; valid < each.length; valid++) {
      const label = labels[valid];
      if (!isLabel(label, most)) {
        this.#wrong = label;
        break;
      }
      each[valid] = label;
    }
    this.#each = each;
    this.#valid = valid;
  }

  /** Writes the labels of the keys after the first `before`. Returns how many of them come before a wrong one. */
  write(labels: Uint16Array, before: number): number {
    if (this.#same > 0) {
      labels.fill(this.#same);
      return labels.length;
    }
    const some = this.#each.subarray(before, Math.min(this.#valid, before + labels.length));
    labels.set(some);
    return some.length;
  }

  /** Throws the error for the first key whose label is wrong, or that has none. */
  fail(): never {
    const valid = this.#valid;
    const { length } = this.#each;
    if (valid < length) requireLabel(`labels[${valid}]`, this.#wrong, this.#most);
    throw new RangeError(`labels must have a label for each key, got ${length} for more keys than that`);
  }
}

/** Returns a plain array over the same memory as `out` if it can hold labels up to `most`; else throws. */
function requireOut(out: unknown, most: number): Uint8Array | Uint16Array {
  if (typedArrayName(out) === 'Uint16Array' && !isLost(out as Uint16Array)) {
    const array = out as Uint16Array;
    return new Uint16Array(bufferOf(array), byteOffsetOf(array), lengthOf(array));
  }
  if (most <= MOST_IN_BYTE) return requireBytes('out', out as Uint8Array);
  throw arrayError('out', `a Uint16Array, for labels up to ${most}`, out);
}

/** Labels to begin with: see `EMPTY`. */
const NO_LABELS: Uint16Array = /* @__PURE__ */ new Uint16Array(0);

/**
 * Collects the labels that many keys seem to have.
 *
 * @param out receives labels up to `most`; if undefined, they come in an array of bytes or, if they do not fit, of 16
 *   bits
 * @throws TypeError if `out` cannot hold labels, or the number of keys is unknown
 */
export function labelsFor(source: Source, out: unknown, most: number): Results<Uint8Array | Uint16Array> {
  const empty = most <= MOST_IN_BYTE ? EMPTY : NO_LABELS;
  const all = out === undefined ? empty : requireOut(out, most);
  return new Results(source, out as Uint8Array | Uint16Array | undefined, all);
}
