// Streams of lines whose first bytes tell that they are no text.

import { describe, expect, it } from 'vitest';
import { addLines, BloomFilter, dedupeLines } from '../../src/index.ts';
import { BEGINNINGS } from '../../src/streams/first-bytes.ts';
import { splitAt } from '../format/saved.ts';
import { readAll, sourceOf } from '../shared/stream-tools.ts';

describe('a stream that is no text in UTF-8', () => {
  const latin = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (each) => each.charCodeAt(0));
  const refused = ['gzip', 'zstd', 'xz', 'UTF-16'].flatMap((name) => {
    const [, ...beginnings] = BEGINNINGS.find(([each]) => each === name) ?? [name];
    return beginnings.map((each): [string, string] => [name, each]);
  });
  const words = 'source must be text in UTF-8, not compressed';

  it.each(refused)('is refused before a line is added: %s %j', async (_, beginning) => {
    const bytes = latin(`${beginning}a\nb\n`);
    for (const at of [[], [1], [1, 2, 3]]) {
      const filter = new BloomFilter({ bits: 500, hashes: 2 });
      const empty = filter.toBytes();
      await expect(addLines(filter, sourceOf(splitAt(bytes, at)))).rejects.toThrow(new RangeError(words));
      await expect(readAll(sourceOf(splitAt(bytes, at)).pipeThrough(dedupeLines(filter)))).rejects.toThrow(
        new RangeError(words),
      );
      expect(filter.toBytes()).toEqual(empty);
    }
  });

  it('is told by its beginning alone', async () => {
    const lines = ['', 'a\n', 'a', '\x1f', 'BZ', 'PK', '\xff', ...refused.map(([, beginning]) => `a\n${beginning}\n`)];
    for (const line of lines) {
      const filter = new BloomFilter({ bits: 500, hashes: 2 });
      const { bytes } = await addLines(filter, sourceOf([latin(line)]));
      expect(bytes).toBe(line.length);
    }
  });
});
