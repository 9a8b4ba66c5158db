// The replies of scripts, whose types a server, a proxy or a client of another package may get wrong.

import { show } from '../util/checks/validate.ts';
import { RedisFilterError } from './error.ts';

function unexpected(wanted: string, reply: unknown): RedisFilterError {
  return new RedisFilterError('REDIS', `Redis was expected to reply with ${wanted}, but replied with ${show(reply)}`);
}

/** The text of a reply; null if Redis has nothing there. */
export function textIn(reply: unknown): string | null {
  if (typeof reply === 'string' || reply === null) return reply;
  throw unexpected('a text', reply);
}

/** The number of a reply, at most `most`. Some clients give it as text. */
export function integerIn(reply: unknown, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = typeof reply === 'string' && /^-?\d+$/.test(reply) ? Number(reply) : reply;
  if (Number.isSafeInteger(number) && (number as number) <= most) return number as number;
  throw unexpected(most < Number.MAX_SAFE_INTEGER ? `an integer up to ${most}` : 'an integer', reply);
}

/** The integers of a reply that is a list of `count` of them. */
export function integersIn(reply: unknown, count: number): number[] {
  if (Array.isArray(reply) && reply.length === count) return reply.map((each) => integerIn(each));
  throw unexpected(`${count} integers`, reply);
}

/** The texts of a reply that is a list. */
export function textsIn(reply: unknown): readonly string[] {
  if (Array.isArray(reply) && reply.every((each) => typeof each === 'string')) return reply;
  throw unexpected('a list of texts', reply);
}

/** The flags of a reply: at most one for each of `count` keys. */
export function flagsIn(reply: string, count: number): string {
  if (reply.length <= count && /^[01]*$/.test(reply)) return reply;
  throw unexpected(`a flag for each of ${count} keys`, reply);
}
