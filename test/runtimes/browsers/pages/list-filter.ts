// What a page does with a large file: the first half builds a filter, which then omits lines of the second half.

import { addLines, BloomFilter, fileStream, type KeyLines, omitLines } from 'bloomery';

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

/** What may be told while a file is filtered. */
export interface Follower {
  /** Called with the number of bytes done so far, in both halves. */
  onProgress(bytes: number): void;
  /** Called before each call of the filter, with the size of its text. */
  onStep?(bytes: number): void;
  readonly signal?: AbortSignal | undefined;
}

export async function filterList(list: List, { onProgress, onStep = () => {}, signal }: Follower): Promise<Filtered> {
  const { file, middle, capacity } = list;
  using filter = new BloomFilter({ capacity });
  const step = (text: KeyLines): KeyLines => {
    onStep(text.bytes.length);
    return text;
  };
  const added = await addLines({ addMany: (text) => filter.addMany(step(text)) }, file.slice(0, middle), {
    onProgress: ({ bytes }) => onProgress(bytes),
    signal,
  });
  const omitting = { omit: (text: KeyLines) => filter.omit(step(text)) } as object as BloomFilter;
  const omit = omitLines(omitting, { onProgress: ({ bytes }) => onProgress(middle + bytes), signal });
  const kept = await new Response(fileStream(file.slice(middle)).pipeThrough(omit)).blob();
  return { kept, added: added.lines };
}
