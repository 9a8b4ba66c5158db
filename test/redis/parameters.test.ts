// What Redis may have under the name of a filter, without a server.

import { describe, expect, it } from 'vitest';
import { RedisFilterError } from '../../src/redis/error.ts';
import { checkOf, describeNew, parse, type StoredParameters } from '../../src/redis/parameters.ts';
import { errorOf } from '../format/saved.ts';

const stored = describeNew({ cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 }, 16);

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
    expect(parse('seen', forged({ state: 'ready', window: 2 ** 45 }))).toMatchObject({ state: 'ready' });
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
    { state: 'made' },
    { more: 1 },
  ])('are damaged if no filter can have them, even if their check matches: %j', (changes) => {
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
