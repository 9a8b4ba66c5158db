import { sum } from '../../format/header.ts';
import { writeIndices } from '../classic/probe.ts';
import { areAllSet, type ProbeOf } from '../probe.ts';
import type { Own } from './cells.ts';

export const probeSubFilters: ProbeOf<Own> = ({ own: { subFilters }, lengths }) => {
  const counts = subFilters.map(({ parameters }) => parameters.hashes);
  return {
    cells: sum(counts),
    width: 1,
    run: 1,
    place(hash, bits) {
      let [at, start] = [0, 0];
      for (const [i, { parameters }] of subFilters.entries()) {
        const { cellCount, hashes } = parameters;
        const some = bits.subarray(at, at + hashes);
        writeIndices(hash, cellCount, hashes, some);
        for (let j = 0; j < hashes; j++) some[j] = (some[j] as number) + start;
        at += hashes;
        start += 8 * (lengths[i] as number);
      }
      return 0;
    },
    holds(cells) {
      let at = 0;
      return counts.some((count) => {
        at += count;
        return areAllSet(cells.subarray(at - count, at));
      });
    },
  };
};
