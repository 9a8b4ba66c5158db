// The package has no types, and it is only installed for the benchmarks.
declare module 'bloomfilter' {
  export class BloomFilter {
    static withTargetError(capacity: number, errorRate: number): BloomFilter;
    readonly buckets: Uint32Array;
    readonly k: number;
    add(key: string): void;
    test(key: string): boolean;
  }
}
