// What Redis may have under the name of a filter, without a server.

import { describe, expect, it } from 'vitest';
import { RedisFilterError } from '../../src/redis/error.ts';
import {
  checkOf,
  describeNew,
  describeWritten,
  finished,
  parse,
  type StoredParameters,
} from '../../src/redis/parameters.ts';
import { errorOf } from '../format/saved.ts';

const SECRET = 2 ** 32 + 7;
const PARAMETERS = { cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 };
const stored = describeNew(PARAMETERS, 16);

/** The code of the error for a text; undefined if it is read. */
function codeOf(text: string): string | undefined {
  const error = errorOf(() => parse('seen', text));
  expect(error).toBeInstanceOf(RedisFilterError);
  return (error as RedisFilterError).code;
}

/** The text of parameters with some changed, whose check matches. */
function forged(changes: object): string {
  const value = { ...stored, ...changes };
  return JSON.stringify({ ...value, check: checkOf(value as StoredParameters) });
}

describe('parameters in Redis', () => {
  it('are read as they were written', () => {
    expect(parse('seen', JSON.stringify(stored))).toEqual(stored);
    const replacing = describeWritten(PARAMETERS, stored, stored);
    expect(parse('seen', JSON.stringify(replacing))).toEqual(replacing);
    expect(parse('seen', JSON.stringify(finished(stored)))).toEqual({ ...stored, state: 'ready' });
    for (const changes of [
      { state: 'ready', window: 2 ** 45 },
      { bloomery: 2, seed: SECRET },
      { seed: 8 },
      { origin: '0123456789abcdef' },
    ]) {
      expect(parse('seen', forged(changes))).toMatchObject(changes);
    }
  });

  it.each([{ seed: 8 }, { groups: 17 }, { origin: '0123456789abcdef' }, { window: 1 }, { check: 'x' }])(
    'are damaged if one of them has changed since they were written: %j',
    (changes) => {
      expect(codeOf(JSON.stringify({ ...stored, ...changes }))).toBe('DAMAGED');
    },
  );

  it('are damaged in another spelling, which no client could replace', () => {
    expect(codeOf(JSON.stringify(stored, null, 1))).toBe('DAMAGED');
  });

  it.each([
    { hashes: 7 },
    { hashes: '8' },
    { seed: '3' },
    { seed: -1 },
    { seed: 2 ** 32 },
    { seed: null },
    { capacity: 0.5 },
    { capacity: -200 },
    { capacity: 0 },
    { capacity: [] },
    { errorRate: 1 },
    { errorRate: 0 },
    { errorRate: '0.01' },
    { window: -1 },
    { window: 2 ** 45 + 1 },
    { window: 0.5 },
    { bits: '2560' },
    { bits: 2 ** 40 },
    { bits: 2561 },
    { pieceBlocks: '127' },
    { groups: 1025 },
    { id: 'x' },
    { origin: undefined },
    { id: undefined },
    { origin: 7 },
    { groups: 16385 },
    { state: 'made' },
    { state: undefined },
    { more: 1 },
    // The version tells whether there is a secret.
    { bloomery: 2 },
    { seed: SECRET },
  ])('are damaged if no filter can have them, even if their check matches: %o', (changes) => {
    expect(codeOf(forged(changes))).toBe('DAMAGED');
  });

  it('are refused as nested as they may be', () => {
    const deep = '['.repeat(1e5) + ']'.repeat(1e5);
    expect(codeOf(deep)).toBe('FOREIGN');
    expect(codeOf(`{"bloomery":${deep}}`)).toBe('VERSION');
    const text = JSON.stringify(stored);
    expect(codeOf(text.replace('"capacity":200', `"capacity":${deep}`))).toBe('DAMAGED');
    expect(codeOf(text.replace(/\}$/, `,"more":${deep}}`))).toBe('DAMAGED');
  });

  it.each([{ bloomery: { toString: 1 } }, { bloomery: 3 }, { kind: { toString: null, valueOf: 1 } }, { kind: 'wide' }])(
    'of another version or kind are named as such: %j',
    (changes) => {
      expect(codeOf(JSON.stringify({ ...stored, ...changes }))).toBe('VERSION');
    },
  );
});
