import { kindError, type ReadHead } from '../format/header.ts';
import { probeBlock } from '../kinds/blocked/probe.ts';
import { probeIndices } from '../kinds/classic/probe.ts';
import { probeBuckets } from '../kinds/cuckoo/probe.ts';
import { probeTables } from '../kinds/dleft/probe.ts';
import { searchFingerprints } from '../kinds/fingerprint-set/probe.ts';
import { probeFuse } from '../kinds/fuse/probe.ts';
import { probeShards } from '../kinds/fuse/sharded/probe.ts';
import { probeMap } from '../kinds/fuse-map/probe.ts';
import type { Probe, ProbeOf, Search, SearchOf } from '../kinds/probe.ts';
import { probeGenerations } from '../kinds/rotating/probe.ts';
import { probeSubFilters } from '../kinds/scalable/probe.ts';
import { probeWideBlock } from '../kinds/wide/probe.ts';

type AnyOf = ProbeOf<never> | SearchOf;

/** How each kind is looked up, by its number in files. A tombstone filter is not: it has another filter in its body. */
const PROBES: ReadonlyMap<number, AnyOf> = /* @__PURE__ */ new Map<number, AnyOf>([
  [1, probeIndices],
  [2, probeBlock],
  [3, probeIndices],
  [4, probeSubFilters],
  [5, probeGenerations],
  [6, probeIndices],
  [7, probeBuckets],
  [8, probeTables],
  [9, probeIndices],
  [10, probeFuse],
  [12, probeWideBlock],
  [13, probeShards],
  [14, searchFingerprints],
  [15, probeMap],
]);

/** @throws SavedFilterError if filters of this kind can only be loaded */
export function requireProbes(id: number): void {
  if (!PROBES.has(id))
    throw kindError(id, 'openFilter does not take it', () => ': load it with fromBytes or fromChunks');
}

/**
 * The probe of a filter, whose own parameters have been read, or the search in it.
 *
 * @param worth the number of bytes that are as cheap as another read
 */
export function probeFor(id: number, head: ReadHead, worth: number): Probe | Search {
  return (PROBES.get(id) as ProbeOf | SearchOf)(head, worth);
}
