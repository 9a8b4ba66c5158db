// What it takes to store a filter, and to send it.

import { byteSize, duration, short } from '../format.ts';
import { bytesOf, fileBytesOf } from './kind-row.ts';
import type { Answer } from './solve.ts';

/** Bits a second. */
export const speeds = [
  { megabits: 1.6, name: 'a phone with a bad signal' },
  { megabits: 10, name: 'a phone' },
  { megabits: 50, name: 'a house' },
  { megabits: 1000, name: 'a data center' },
] as const;

export const FIRST_SPEED = 10;

/** A time of transfer: `0.96 s`, `12 ms`. */
function seconds(time: number): string {
  return time < 0.1 ? `${short(1000 * time)} ms` : duration(time);
}

/** The sizes of a filter in words; of the memory that building takes besides, none if it takes none. */
export function transferOf({ row, shape }: Answer, megabits: number) {
  const file = fileBytesOf(row, shape);
  return {
    memory: byteSize(bytesOf(shape)),
    file: byteSize(file),
    download: seconds((8 * file) / (1e6 * megabits)),
    building: row.buildBits === 0 ? '' : byteSize(Math.ceil((shape.cells * row.buildBits) / 8)),
  };
}
