// Texts in chunks, cut anywhere.

import { addLines, BloomFilter, dedupeLines, lines, omitLines, pickLines } from '../../../src/index.ts';
import { asynchronous, splitAt } from '../../format/saved.ts';
import { readAll, sourceOf } from '../../shared/stream-tools.ts';
import { areSame, attemptLater, pick, type Reader, require } from '../subject.ts';
import { randomText } from './keys.ts';

const known = new BloomFilter({ bits: 400, hashes: 2 }).addMany(['', 'a', 'b\r']);
const fresh = (): BloomFilter => new BloomFilter({ bits: 400, hashes: 2 });
const isTypeError = (error: unknown): boolean => error instanceof TypeError && /chunk/.test(error.message);

/** Passes chunks through a stream of lines. */
async function through(
  stream: TransformStream<Uint8Array, Uint8Array>,
  chunks: readonly unknown[],
): Promise<Uint8Array> {
  return Buffer.concat(await readAll(sourceOf(chunks as readonly Uint8Array[]).pipeThrough(stream)));
}

const lineStreams: Reader = {
  name: 'lines from a stream',
  share: 2000,
  async run(subject) {
    const { random } = subject;
    const text = randomText(random, random(60));
    // Not the beginning of a compressed file, which is refused.
    if (text.length > 0) text[0] = pick(random, [10, 13, 49, 97]);
    subject.input = text;
    const chunks: unknown[] = splitAt(text, [random(text.length + 1), random(text.length + 1)]);
    const isWrong = random(5) === 0;
    if (isWrong) chunks.splice(random(4), 0, pick<unknown>(random, ['text', 1, null, new Uint16Array(2)]));
    const all = lines(text);
    const way = random(4);
    const filter = way > 1 ? fresh() : known;
    const twin = way > 1 ? fresh() : known;
    try {
      if (way === 3) {
        const added = await attemptLater(() => addLines(filter, asynchronous(chunks as Uint8Array[])), isTypeError);
        require((added === undefined) === isWrong, 'a stream fails if a chunk is no bytes');
        if (added === undefined) return 'refused';
        require(added.bytes === text.length && added.lines === all.count(), 'bytes and lines are counted');
        require(areSame(filter.toBytes(), twin.addMany(all).toBytes()), 'a stream adds the lines of its text');
        return 'read';
      }
      const stream = [pickLines, omitLines, dedupeLines][way]?.(filter) as TransformStream<Uint8Array, Uint8Array>;
      const output = await attemptLater(() => through(stream, chunks), isTypeError);
      require((output === undefined) === isWrong, 'a stream fails if a chunk is no bytes');
      if (output === undefined) return 'refused';
      const wanted = [() => twin.pick(all), () => twin.omit(all), () => twin.dedupe(all)][way]?.();
      require(areSame(output, (wanted as typeof all).bytes), 'a stream passes on the lines of its text');
      return 'read';
    } finally {
      if (way > 1) for (const each of [filter, twin]) each.dispose();
    }
  },
};

export const lineReaders: readonly Reader[] = [lineStreams];
