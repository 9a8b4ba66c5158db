import { requireSaved } from '../../format/header.ts';
import { type Finding, type Hash, LOW, type SearchOf } from '../probe.ts';

// Fingerprints ascend, and are spread evenly unless keys were chosen. So the number of those before a key among n of
// them is n x, give or take √(n x (1 − x)), where x is its place between their ends: interpolation search (Y. Perl,
// A. Itai, H. Avni, Communications of the ACM 21(7), 1978). A read that misses the key leaves it so near to a fingerprint
// that is known, that the next one can hardly miss it.

/** The bytes of a fingerprint. */
const BYTES = 12;
/** All fingerprints are below this. */
const LIMIT: bigint = 2n ** 96n;
/** A read costs no less if it gets fewer cells, of 4 KiB. */
const FEW = 341;
/** Where fingerprints were chosen, this many steps lead nowhere. Each one after them halves what is left. */
const STEPS = 4;

/**
 * How many cells to read around a place that is known up to this standard deviation: if they are worth a read, so many
 * that the key is hardly ever elsewhere, else few, which tell its place better.
 *
 * @param most the number of cells that are worth a read
 */
function widthFor(deviation: number, most: number): number {
  const width = 2 * Math.ceil(3 * deviation + 1);
  return width > FEW && width <= most ? width : FEW;
}

/** The search for a key in `count` fingerprints. */
class FingerprintFinding implements Finding {
  readonly #wanted: bigint;
  readonly #most: number;
  /** The key is in none but the cells from `#from` to `#to`, whose fingerprints are between `#above` and `#below`. */
  #from = 0;
  #to: number;
  #above = 0n;
  #below = LIMIT;
  #steps = 0;
  isPresent: boolean | undefined;
  start = 0;
  end = 0;

  constructor([h1, h2]: Hash, count: number, most: number) {
    this.#wanted = (h1 << 32n) | (h2 & LOW) || 1n;
    this.#to = count;
    this.#most = most;
    this.#aim();
  }

  /** Chooses what to read next, or knows that the key is absent. */
  #aim(): void {
    const [from, to, above] = [this.#from, this.#to, this.#above];
    const cells = to - from;
    if (cells === 0) {
      this.isPresent = false;
      return;
    }
    const share = this.#steps++ < STEPS ? Number(this.#wanted - above) / Number(this.#below - above) : 0.5;
    const width = widthFor(Math.sqrt(cells * share * (1 - share)), this.#most);
    const first = Math.floor(from + cells * share - width / 2);
    this.start = BYTES * Math.max(first, from);
    this.end = BYTES * Math.min(first + width, to);
  }

  /** Compares the key with the fingerprint in a cell. */
  #compare(index: number, fingerprint: bigint): void {
    const isBetween = this.#above < fingerprint && fingerprint < this.#below;
    requireSaved(isBetween, `its fingerprint ${index} is not between those before and after it`);
    if (fingerprint < this.#wanted) {
      this.#from = index + 1;
      this.#above = fingerprint;
    } else {
      this.#to = index;
      this.#below = fingerprint;
      if (fingerprint === this.#wanted) this.isPresent = true;
    }
  }

  look({ buffer, byteOffset, length }: Uint8Array, start: number): void {
    const view = new DataView(buffer, byteOffset, length);
    const first = start / BYTES;
    const end = first + length / BYTES;
    for (;;) {
      const [low, high] = [Math.max(first, this.#from), Math.min(end, this.#to)];
      if (low >= high) break;
      const middle = Math.floor((low + high) / 2);
      const at = BYTES * (middle - first);
      this.#compare(middle, (view.getBigUint64(at, true) << 32n) | BigInt(view.getUint32(at + 8, true)));
      if (this.isPresent) return;
    }
    this.#aim();
  }
}

/** The number of reads that most keys take. After one that misses, the distance is about the standard deviation. */
function readsFor(count: number, most: number): number {
  let reads = Math.min(count, 1);
  for (let deviation = Math.sqrt(count) / 2; widthFor(deviation, most) < 2 * deviation; reads++) {
    deviation = Math.sqrt(deviation);
  }
  return reads;
}

export const searchFingerprints: SearchOf = ({ parameters: { cellCount: count } }, worth) => {
  const most = Math.floor(worth / BYTES);
  return {
    reads: readsFor(count, most),
    capacity: count,
    errorRate: count / Number(LIMIT),
    find: (hash) => new FingerprintFinding(hash, count, most),
  };
};
