// What the page says.

import { byteSize, integer, plural } from '../format.ts';

interface Answer {
  readonly verdict: string;
  readonly explanation: string;
}

/** @param errorRate the share of other passwords that look leaked */
export function answerTo(isLeaked: boolean, errorRate: number): Answer {
  return isLeaked
    ? {
        verdict: 'Probably leaked',
        explanation: `Choose another one. Of ${integer(1 / errorRate)} passwords that are not in the list, one looks like this.`,
      }
    : { verdict: 'Not in the list', explanation: 'That is certain: the filter forgets no password.' };
}

/** What one answer took. */
export function costOf(requests: number, bytes: number, milliseconds: number): string {
  const time = `${milliseconds < 1 ? 'less than 1' : integer(milliseconds)} ms`;
  if (requests === 0) return `Answered in ${time} from a part of the file that was read before.`;
  return `Answered in ${time}, with ${plural(requests, 'request')} for ${byteSize(bytes)}.`;
}
