// Types of what is imported from saved filters, and from lists of which `bloomAssets` of `bloomery/vite` makes filters:
// `/// <reference types="bloomery/assets" />`.
//
// A pattern has one wildcard, so the end of an import decides: `./names.txt?bloom&errorRate=1e-3&kind=fuse`.

/** A saved filter, imported `with { type: 'bytes' }`. `fromBytes` of its class loads it. */
declare module '*.bloom' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}

declare module '*?bloom' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('./fuse.ts').BinaryFuseFilter>;
  export default load;
}

declare module '*&kind=fuse' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('./fuse.ts').BinaryFuseFilter>;
  export default load;
}

declare module '*&kind=classic' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('../index.ts').BloomFilter>;
  export default load;
}

declare module '*&kind=blocked' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('../index.ts').BlockedBloomFilter>;
  export default load;
}

declare module '*&kind=wide' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('./wide.ts').WideBlockedBloomFilter>;
  export default load;
}

declare module '*&kind=counting' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('../index.ts').CountingBloomFilter>;
  export default load;
}

declare module '*&kind=cuckoo' {
  /** Loads the filter. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('./cuckoo.ts').CuckooFilter>;
  export default load;
}

declare module '*&kind=fuse-map' {
  /** Loads the map. All calls give the same one; after a failure, the next call tries again. */
  const load: () => Promise<import('./fuse-map.ts').FuseMap>;
  export default load;
}
