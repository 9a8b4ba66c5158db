// What the entries of all kinds export, in one place: for tests that use many kinds.

export * from '../../src/entries/cuckoo.ts';
export * from '../../src/entries/dleft.ts';
export * from '../../src/entries/fingerprint-set.ts';
export * from '../../src/entries/fuse.ts';
export * from '../../src/entries/fuse-map.ts';
export * from '../../src/entries/rotating.ts';
export * from '../../src/entries/scalable.ts';
export * from '../../src/entries/sharded-fuse.ts';
export * from '../../src/entries/spatial.ts';
export * from '../../src/entries/stable.ts';
export * from '../../src/entries/tombstone.ts';
export * from '../../src/entries/wide.ts';
export * from '../../src/index.ts';
