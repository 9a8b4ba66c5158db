// Keys of JSON lines, beside JSON.parse.

import type { KeyColumn } from 'bloomery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOfInput, type Path, requireValid } from '../../cli/text/format.ts';
import { keyedIn, keysOf } from '../../cli/text/records.ts';
import { formatWith, keyTexts } from './format.ts';

function keysIn(text: string | Uint8Array, paths: readonly Path[], lacking?: { lines: number }): string[] {
  const format = formatWith({ 'json-field': paths });
  const keys = keyTexts(text, format);
  requireValid(format);
  if (lacking) lacking.lines = format.tally.lacking;
  return keys;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => {
    const isObject = typeof at === 'object' && at !== null && !Array.isArray(at);
    return isObject && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }, value);
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom('a', 'a', 'b', '__proto__', 'ä\n"', '\\');
const { value, object } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1.5e300, 1e-7, 'x', 'ä"\\\n\u{1f600}', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((members) => ({ members })),
}));

/** JSON as somebody may write it: names may come twice, characters may be escaped, and blanks are anywhere. */
function written(from: unknown, random: () => number): string {
  const blank = (): string => [' ', '\t', '\r', '', '', ''][random() % 6] as string;
  const text = (of: string): string =>
    random() % 2
      ? JSON.stringify(of)
      : `"${[...of].map((c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')).join('')}"`;
  const inside = (): string => {
    if (typeof from === 'string') return text(from);
    if (Array.isArray(from)) return `[${from.map((each) => written(each, random)).join(',')}${blank()}]`;
    if (typeof from === 'object' && from !== null) {
      const { members } = from as { members: [string, unknown][] };
      const all = members.map(([key, of]) => `${blank()}${text(key)}${blank()}:${written(of, random)}`);
      return `{${all.join(',')}${blank()}}`;
    }
    return JSON.stringify(from);
  };
  return blank() + inside() + blank();
}

/** What it means. V8 of Node 24 and 26 reads it wrongly where a name is escaped and comes twice. */
function meaning(from: unknown): unknown {
  if (Array.isArray(from)) return from.map(meaning);
  if (typeof from !== 'object' || from === null) return from;
  const { members } = from as { members: [string, unknown][] };
  return Object.fromEntries(members.map(([key, of]) => [key, meaning(of)]));
}

/** The value of such a text, whose characters are first written without numbers. */
function parsed(text: string): unknown {
  const unescaped = text.replace(/\\u([0-9a-f]{4})/g, (_, unit: string) =>
    JSON.stringify(String.fromCharCode(Number.parseInt(unit, 16))).slice(1, -1),
  );
  return JSON.parse(unescaped);
}

const paths = fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
  selector: (path) => JSON.stringify(path),
});

describe('JSON lines', () => {
  it('have the values that were written', () => {
    let found = 0;
    fc.assert(
      fc.property(object, paths, fc.infiniteStream(fc.nat(1000)), (from, wanted, numbers) => {
        const line = written(from, () => numbers.next().value);
        const whole = meaning(from);
        const values = wanted.map((path) => valueAt(whole, path));
        const lacking = { lines: 0 };
        const [key = ''] = keysIn(line, wanted, lacking);
        expect(lacking.lines).toBe(values.includes(undefined) ? 1 : 0);
        if (values.some((each) => each !== undefined)) found++;
        // What jq -r prints, and jq -c of several in an array, each as a string.
        const isSingle = wanted.length === 1;
        const texts: unknown = isSingle ? [key] : JSON.parse(key);
        const meant = (texts as string[]).map((text, i) => (typeof values[i] === 'string' ? text : parsed(text)));
        expect(meant).toEqual(values.map((each) => each ?? null));
      }),
      { numRuns: 2000, seed: 36 },
    );
    expect(found).toBeGreaterThan(200);
  });

  it('are refused where JSON.parse refuses them, and nowhere else', () => {
    let refused = 0;
    const characters = [...'{}[]":,\\ubn0123.eE+-truefalsnl \t\u0001ä'];
    fc.assert(
      fc.property(
        value,
        fc.infiniteStream(fc.nat(1000)),
        fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...characters), fc.boolean()), { maxLength: 3 }),
        (from, numbers, changes) => {
          let line = written(from, () => numbers.next().value);
          for (const [place, character, replaces] of changes) {
            const at = place % (line.length + 1);
            line = line.slice(0, at) + character + line.slice(replaces ? at + 1 : at);
          }
          const expected = line.trim() === '' || attempt(() => JSON.stringify(JSON.parse(line))) !== undefined;
          if (!expected) refused++;
          expect(attempt(() => keysIn(line, [['a']])) !== undefined, line).toBe(expected);
        },
      ),
      { numRuns: 4000, seed: 36 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it('keep what JSON.parse would change: long numbers, bytes that are not UTF-8, the way a value is written', () => {
    const ids = ['12345678901234567890', '12345678901234567891', '1', '1.0', '[1, "2"]', 'null'];
    const text = ids.map((id) => `{"id":${id}}\n`).join('');
    expect(keysIn(text, [['id']])).toEqual(ids);
    expect(keysIn(text, [['id'], ['id', 'x']])).toEqual(ids.map((id) => JSON.stringify([id, 'null'])));
    expect(keysIn('{"id":"12"}\n{"id":12}\r\n{"id":"\\u00e9"}', [['id']])).toEqual(['12', '12', 'é']);
    const format = formatWith({ 'json-field': [['id']] });
    const keys = keysOf(Buffer.from('{"id":"\xff\xfe"}', 'latin1'), format);
    expect(Buffer.from((keys as KeyColumn).data)).toEqual(Buffer.from([0xff, 0xfe]));
  });

  it('count where numbers are, and strings that begin like these', () => {
    const format = formatWith({ 'json-field': [['a'], ['b'], ['c']] });
    keysOf(Buffer.from('{"a":"1","b":"x","c":-1}\n{"a":2,"b":3,"c":"-2"}\n'), format);
    expect([format.tally.numbers, format.tally.digits]).toEqual([0b111, 0b101]);
  });

  it.each<[string, string]>([
    ['{"a":1} x', 'more follows at byte 9'],
    ['{"a" 1}', 'a colon is missing at byte 6'],
    ['{"a":1', 'a comma or } is missing at its end'],
    ['[1 2]', 'a comma or ] is missing at byte 4'],
    ['{a:1}', 'the name of a member is missing at byte 2'],
    ['{"a":}', 'a value is missing at byte 6'],
    ['hello', 'a value is missing at byte 1'],
    ['{"a":"x', 'a string is not closed at its end'],
    ['{"a":"x\\q"}', 'a backslash without its letter at byte 9'],
    ['{"a":"\\u12"}', '\\u without four digits at byte 8'],
    ['{"a":"\t"}', 'a control character in a string at byte 7'],
    ['{"a":-}', 'a digit is missing at byte 7'],
    ['['.repeat(1001), 'more than 1000 levels at byte 1001'],
  ])('%j is refused with its number, or left out', (line, reason) => {
    const text = Buffer.from(`{}\n[]\n${line}\n{"a":4}\n`);
    for (const skips of [false, true]) {
      const format = formatOfInput(formatWith({ 'json-field': [['a']], 'skip-invalid': skips }), 'a.json');
      const { text: valid, keys } = keyedIn(text, format);
      expect(Buffer.from(valid).toString()).toBe(skips ? '{}\n[]\n{"a":4}\n' : '{}\n[]\n');
      expect(Buffer.from((keys as KeyColumn).data).toString()).toBe(skips ? 'nullnull4' : 'nullnull');
      expect(format.tally).toMatchObject({
        invalid: 1,
        firstInvalid: { input: 'a.json', line: 3, reason: `is not JSON: ${reason}` },
      });
      if (skips) requireValid(format);
      else expect(() => requireValid(format)).toThrow(`'a.json', line 3 is not JSON: ${reason}`);
    }
  });
});
