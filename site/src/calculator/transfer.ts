// What it takes to store a filter, and to send it.

import { byteSize, duration, percent, short } from '../format.ts';
import measured from './gzip.json' with { type: 'json' };
import { bitsOf, fileBytesOf } from './kind-row.ts';
import type { Answer, Question } from './solve.ts';

/** Bits a second. */
export const speeds = [
  { megabits: 1.6, name: 'a phone with a bad signal' },
  { megabits: 10, name: 'a phone' },
  { megabits: 50, name: 'a house' },
  { megabits: 1000, name: 'a data center' },
] as const;

export const FIRST_SPEED = 10;

/** Above this share, gzip is not worth the time. */
const WORTH = 0.98;

/**
 * How large the gzipped file of a full filter is, as a share of the file; undefined if nobody has measured it. The
 * figures are measured, by tools/gzip.ts, at some error rates. Between them, the share is interpolated.
 */
export function gzipShare({ row, errorRate }: Answer, { hashes }: Pick<Question, 'hashes'> = {}): number | undefined {
  if (hashes !== undefined && row.choosesHashes) return undefined;
  const shares: readonly (number | null)[] | undefined = (measured.shares as Record<string, (number | null)[]>)[
    row.kind
  ];
  const points = measured.rates.flatMap((rate, i) => {
    const share = shares?.[i];
    return typeof share === 'number' ? [{ at: Math.log(rate), share }] : [];
  });
  const at = Math.log(errorRate);
  const above = points.filter((point) => point.at >= at).at(-1);
  const below = points.find((point) => point.at < at);
  if (above === undefined || below === undefined) return (above ?? below)?.share;
  return below.share + ((at - below.at) / (above.at - below.at)) * (above.share - below.share);
}

/** A time of transfer: `0.96 s`, `12 ms`. */
function seconds(time: number): string {
  return time < 0.1 ? `${short(1000 * time)} ms` : duration(time);
}

/** The sizes of a filter in words; of the memory that building takes besides, none if it takes none. */
export function transferOf(answer: Answer, question: Pick<Question, 'hashes'>, megabits: number) {
  const { row, shape } = answer;
  const file = fileBytesOf(row, shape);
  const share = gzipShare(answer, question);
  const isWorth = share !== undefined && share < WORTH;
  const gzip =
    share === undefined
      ? 'not measured with chosen hashes'
      : isWorth
        ? `${byteSize(Math.round(share * file))} (${percent(Number(share.toPrecision(2)))})`
        : 'does not compress';
  const sent = isWorth ? share * file : file;
  return {
    memory: byteSize(Math.ceil(bitsOf(shape) / 8)),
    file: byteSize(file),
    gzip,
    download: seconds((8 * sent) / (1e6 * megabits)),
    building: row.buildBits === 0 ? '' : byteSize(Math.ceil((shape.cells * row.buildBits) / 8)),
  };
}
