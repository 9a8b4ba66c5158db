// What a page does with a large file: the first half builds a filter, which then omits lines of the second half.

import { addLines, BloomFilter, fileStream, omitLines } from 'bloomery';

/** A file, and what is known about it. */
export interface List {
  readonly file: File;
  /** Where the second half begins. */
  readonly middle: number;
  /** The number of lines in the first half. */
  readonly capacity: number;
}

export interface Filtered {
  /** The lines of the second half that the filter does not have. */
  readonly kept: Blob;
  /** How many lines of the first half were added. */
  readonly added: number;
}

/** @param onProgress gets the number of bytes done so far, in both halves */
export async function filterList(list: List, onProgress: (bytes: number) => void): Promise<Filtered> {
  const { file, middle, capacity } = list;
  using filter = new BloomFilter({ capacity });
  const { lines: added } = await addLines(filter, file.slice(0, middle), {
    onProgress: ({ bytes }) => onProgress(bytes),
  });
  const omit = omitLines(filter, { onProgress: ({ bytes }) => onProgress(middle + bytes) });
  const kept = await new Response(fileStream(file.slice(middle)).pipeThrough(omit)).blob();
  return { kept, added };
}
