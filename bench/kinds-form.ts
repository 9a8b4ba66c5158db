// The form of all that the comparison of kinds measures.

/** What holds the keys. */
interface Built<Keys> {
  /** Returns how many keys look present, or their flags. */
  find(keys: Keys): number | Uint8Array;
  /** The error rate that it has, according to itself. */
  readonly errorRate: number;
  dispose(): void;
}

/** `Keys` is the form in which it takes keys. */
export interface Subject<Keys = unknown> {
  readonly name: string;
  /** Whether it is the filter of another package, which may lose keys. */
  readonly isPeer?: true;
  /** With more keys than this, it is left out. */
  readonly mostKeys: number;
  /** Makes keys of integers. This is not timed. */
  keysOf(integers: Uint32Array): Keys;
  build(keys: Keys, errorRate: number): Built<Keys>;
  /** The memory of what `build` makes. */
  bytesOf(keys: Keys, errorRate: number): number;
}
