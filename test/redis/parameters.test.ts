// What Redis may have under the name of a filter, without a server. What no filter can have is forged by the fuzzer.

import { describe, expect, it } from 'vitest';
import { RedisFilterError } from '../../src/redis/error.ts';
import { Layout } from '../../src/redis/layout.ts';
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

/** The code of the error for a text. */
function codeOf(text: string): string {
  const error = errorOf(() => parse('seen', text));
  expect(error).toBeInstanceOf(RedisFilterError);
  return (error as RedisFilterError).code;
}

const changed = (changes: object): string => JSON.stringify({ ...stored, ...changes });

/** The text of parameters with some changed, whose check matches. */
function forged(changes: object): string {
  const value = { ...stored, ...changes };
  return JSON.stringify({ ...value, check: checkOf(value as StoredParameters) });
}

describe('parameters in Redis', () => {
  it('never change, or filters in use would be lost', () => {
    const edited = {
      ...describeNew({ ...PARAMETERS, cellCount: 256 * 5000, seed: 7, capacity: 100_000 }, 4),
      ...{ id: '0123456789abcdef', origin: 'fedcba9876543210' },
    };
    const text = JSON.stringify({ ...edited, check: checkOf(edited) });
    expect(text).toMatchInlineSnapshot(
      `"{"bloomery":1,"kind":"blocked","bits":1280000,"hashes":8,"seed":7,"capacity":100000,"errorRate":0.01,"window":0,"pieceBlocks":1023,"groups":4,"id":"0123456789abcdef","origin":"fedcba9876543210","check":"b05ac677bf659fc4","state":"creating"}"`,
    );
    expect([...new Layout('name', parse('name', text)).pieces()].map(({ key }) => key)).toMatchInlineSnapshot(`
      [
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:0",
        "name:{67ce95dffc08daeb.0}:0123456789abcdef:1",
        "name:{67ce95dffc08daeb.3}:0123456789abcdef:2",
        "name:{67ce95dffc08daeb.1}:0123456789abcdef:3",
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:4",
      ]
    `);
  });

  it('are read as they were written', () => {
    expect(parse('seen', JSON.stringify(stored))).toEqual(stored);
    expect(parse('seen', JSON.stringify(finished(stored)))).toEqual({ ...stored, state: 'ready' });
    for (const changes of [
      { state: 'ready', window: 2 ** 45 },
      { bloomery: 2, seed: SECRET },
      { seed: 2 ** 32 - 1 },
      { bloomery: 2, seed: 2 ** 33 - 1 },
      { capacity: 0, errorRate: 0 },
      { groups: 1024, pieceBlocks: 32_768 },
      { origin: '0123456789abcdef' },
    ]) {
      expect(parse('seen', forged(changes))).toMatchObject(changes);
    }
  });

  it('have an id of their own whenever a filter is made, and an origin that replacements keep', () => {
    const other = describeNew(PARAMETERS, 16);
    const next = describeWritten(PARAMETERS, stored, stored);
    expect(parse('seen', JSON.stringify(next))).toEqual(next);
    expect(new Set([stored, other, next].map(({ id }) => id)).size).toBe(3);
    expect([stored, other, next].map(({ origin }) => origin)).toEqual([stored.id, other.id, stored.id]);
  });

  it.each([
    ...[{ seed: 8 }, { groups: 17 }, { origin: '0123456789abcdef' }, { window: 1 }, { check: 'x' }].map(changed),
    // In another spelling, no client could replace them.
    JSON.stringify(stored, null, 1),
  ])('are damaged if they are not the text that was written: %s', (text) => expect(codeOf(text)).toBe('DAMAGED'));

  it('are refused as nested as they may be', () => {
    const deep = '['.repeat(1e5) + ']'.repeat(1e5);
    expect(codeOf(deep)).toBe('FOREIGN');
    expect(codeOf(`{"bloomery":${deep}}`)).toBe('VERSION');
    expect(codeOf(changed({}).replace('"capacity":200', `"capacity":${deep}`))).toBe('DAMAGED');
    expect(codeOf(changed({}).replace(/\}$/, `,"more":${deep}}`))).toBe('DAMAGED');
  });

  it.each([{ bloomery: { toString: 1 } }, { bloomery: 3 }, { kind: { toString: null, valueOf: 1 } }, { kind: 'wide' }])(
    'of another version or kind are named as such: %j',
    (changes) => expect(codeOf(changed(changes))).toBe('VERSION'),
  );
});
