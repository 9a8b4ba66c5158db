// The answer in words.

import { byteSize, plural } from '../format.ts';
import { bytesOf, type Past } from './kind-row.ts';
import { chance } from './numbers.ts';
import type { Answer } from './solve.ts';

/** Where so many bytes fit, from the smallest place to the largest. The sizes are those of common processors. */
const places: readonly (readonly [bytes: number, words: string])[] = [
  [32 * 2 ** 10, 'fits into the fastest cache of a processor, of 32 KiB'],
  [2 ** 20, 'fits into the cache of a single core, of about 1 MiB'],
  [8 * 2 ** 20, 'fits into the cache of a laptop, of about 8 MiB'],
  [32 * 2 ** 20, 'fits into the cache of a large processor, of about 32 MiB'],
  [2 ** 30, 'is larger than the caches of most processors, so a lookup waits for memory'],
];
const BEYOND = 'takes a good part of the memory of a laptop, and each lookup waits for it';

export function placeOf(bytes: number): string {
  return places.find(([most]) => bytes <= most)?.[1] ?? BEYOND;
}

function vainWords(errorRate: number): string {
  if (errorRate === 0) return 'Hardly any lookup of an absent key goes to the database in vain.';
  return `Of the lookups of absent keys, ${chance(errorRate)} goes to the database in vain.`;
}

const pasts: Readonly<Record<Past, (answer: Answer) => string>> = {
  errs: ({ row, capacity, shape }) => {
    const rate = row.rateAt?.(2 * capacity, shape) ?? 1;
    if (rate > 0.5) return 'With twice as many keys, most do.';
    return `With twice as many keys, ${rate === 0 ? 'still hardly any' : chance(Number(rate.toPrecision(2)))} does.`;
  },
  refuses: ({ capacity }) => `Past about ${plural(capacity, 'key')} it is full, and refuses more.`,
  grows: () => 'With more keys it takes more memory, and errs as rarely.',
  forgets: () => 'It forgets older keys: its size and its error rate stay.',
  complete: () => 'It takes no more keys: for new ones, make it again.',
};

/** The answer in a few sentences. */
export function wordsOf(answer: Answer): string {
  const { errorRate, row, shape, capacity } = answer;
  const bytes = bytesOf(shape);
  return [
    `${byteSize(bytes)} for ${plural(capacity, 'key')}: that ${placeOf(bytes)}.`,
    vainWords(errorRate),
    pasts[row.past](answer),
  ].join(' ');
}
