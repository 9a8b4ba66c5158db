import {
  Binary,
  type Data,
  LargeBinary,
  LargeUtf8,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { column, KeyColumn } from '../../src/index.ts';
import { combinableKinds, entries } from '../shared/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('columns as keys: $name', ({ Filter }) => {
  it('give a column for a column, with offsets of the same type', () => {
    const filter = Filter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    for (const offsets of [
      Int32Array.of(1, 2, 3, 3, 5),
      Uint32Array.of(1, 2, 3, 3, 5),
      BigInt64Array.of(1n, 2n, 3n, 3n, 5n),
    ]) {
      const picked = filter.pick(column(text('-abö'), offsets));
      expect(picked).toBeInstanceOf(KeyColumn);
      expect(new TextDecoder().decode(picked.data)).toBe('bö');
      expect([...picked.offsets].map(Number)).toEqual([0, 1, 1, 3]);
      expect(picked.offsets.constructor).toBe(offsets.constructor);
      expect(picked.length).toBe(3);
    }
    expect(filter.pick(column(text('x'), new Int32Array())).length).toBe(0);
  });

  it('refuse offsets that decrease or lie outside the data', () => {
    const filter = new Filter({ capacity: 10 });
    for (const offsets of [
      [-1, 1],
      [0, 2, 1],
      [0, 1, 5],
      [3, 4],
      [0, 3, -2],
    ]) {
      expect(() => filter.addMany(column(text('abc'), Int32Array.from(offsets)))).toThrow(
        /^offsets\[\d+\] and offsets\[\d+\] must rise/,
      );
    }
    filter.clear();
    expect(() => filter.addMany(column(text('abc'), Int32Array.of(0, 1, 0)))).toThrow('offsets[1]');
    expect(filter.has('a')).toBe(true);
    expect(() => filter.addMany(column(text('abc'), BigInt64Array.of(0n, 2n ** 62n)))).toThrow(RangeError);
  });
});

type StringType = Utf8 | LargeUtf8 | Binary | LargeBinary;

/** Makes a column from one chunk of a vector, as docs/streams.md shows. */
function columnOf({ values, valueOffsets, length }: Data<StringType>): KeyColumn {
  return column(values, valueOffsets.subarray(0, length + 1));
}

function random(count: number, withNulls: boolean): (string | null)[] {
  const next = randomFrom(count);
  const units = ['a', 'b', 'é', '😀', ''];
  return Array.from({ length: count }, () => {
    if (withNulls && next(7) === 0) return null;
    return Array.from({ length: next(5) }, () => units[next(units.length)]).join('');
  });
}

const types = {
  Utf8: (strings: (string | null)[]) => vectorFromArray(strings, new Utf8()),
  LargeUtf8: (strings: (string | null)[]) => vectorFromArray(strings, new LargeUtf8()),
  Binary: (strings: (string | null)[]) =>
    vectorFromArray(
      strings.map((each) => (each === null ? null : text(each))),
      new Binary(),
    ),
  LargeBinary: (strings: (string | null)[]) =>
    vectorFromArray(
      strings.map((each) => (each === null ? null : text(each))),
      new LargeBinary(),
    ),
};

describe.each(entries)("Apache Arrow's vectors: $name", ({ api: { BloomFilter } }) => {
  const filter = new BloomFilter({ bits: 60, hashes: 2 }).addMany(['a', 'bé', '', '😀']);

  /** Expects a vector, chunk by chunk, to give the same flags and bits as the strings. A null is the empty key. */
  function expectFlags(vector: Vector<StringType>, strings: readonly (string | null)[]): void {
    const flags = vector.data.flatMap((data) => [...filter.hasMany(columnOf(data))]);
    expect(flags).toEqual([...filter.hasMany(strings.map((each) => each ?? ''))]);
    const added = new BloomFilter({ bits: 999, hashes: 2 });
    for (const data of vector.data) added.addMany(columnOf(data));
    expect(added.equals(new BloomFilter({ bits: 999, hashes: 2 }).addMany(strings.map((each) => each ?? '')))).toBe(
      true,
    );
  }

  describe.each(Object.entries(types))('%s', (_, vectorOf) => {
    const strings = random(5000, true);
    const vector = vectorOf(strings) as Vector<StringType>;

    it('give the same flags as their strings', () => {
      expectFlags(vector, strings);
      const full = random(300, false);
      expectFlags(vectorOf(full) as Vector<StringType>, full);
      expectFlags(vectorOf(['a']) as Vector<StringType>, ['a']);
    });

    it('may be slices, slices of slices, empty, or in several chunks', () => {
      expectFlags(vector.slice(3, 4700), strings.slice(3, 4700));
      expectFlags(vector.slice(7, 4000).slice(100, 105), strings.slice(107, 112));
      expectFlags(vector.slice(9, 9), []);
      const joined = vector.slice(2, 9).concat(vector, vector.slice(4990));
      expect(joined.data.length).toBe(3);
      expectFlags(joined, [...strings.slice(2, 9), ...strings, ...strings.slice(4990)]);
      expectFlags(joined.slice(5, 5020), [...strings.slice(2, 9), ...strings, ...strings.slice(4990)].slice(5, 5020));
    });

    it('may come from a file, in whole or in part', () => {
      const bytes = tableToIPC(new Table({ name: vector }), 'file');
      const table = tableFromIPC(bytes);
      expectFlags(table.getChild('name') as Vector<StringType>, strings);
      expectFlags(table.slice(10, 900).getChild('name') as Vector<StringType>, strings.slice(10, 900));
      const part = tableFromIPC(tableToIPC(new Table({ name: vector.slice(40, 400) })));
      expectFlags(part.getChild('name') as Vector<StringType>, strings.slice(40, 400));
    });

    it('are not copied, and give columns with the same type of offsets', () => {
      const [data] = vector.slice(3).data;
      if (data === undefined) throw new Error('no chunk');
      const made = columnOf(data);
      expect(made.data.buffer).toBe(data.values.buffer);
      expect(made.offsets.buffer).toBe(data.valueOffsets.buffer);
      const picked = filter.pick(made);
      expect(picked).toBeInstanceOf(KeyColumn);
      expect(picked.offsets.constructor).toBe(data.valueOffsets.constructor);
      expect(picked.length).toBe(filter.pick(strings.slice(3).map((each) => each ?? '')).length);
    });

    it('tell which keys are null, so that these can be left out', () => {
      for (const [part, expected] of [
        [vector, strings],
        [vector.slice(13, 60), strings.slice(13, 60)],
      ] as const) {
        const flags = part.data.flatMap((data) =>
          [...filter.hasMany(columnOf(data))].map((flag, i) => (data.getValid(i) ? flag : 0)),
        );
        expect(flags).toEqual(expected.map((each) => (each !== null && filter.has(each) ? 1 : 0)));
      }
    });
  });

  it('may be dictionaries, whose strings are looked up once', () => {
    const strings = ['a', 'x', null, 'a', 'bé', 'x'];
    const vector = vectorFromArray(strings);
    const [data] = vector.data;
    const dictionary = data?.dictionary;
    if (data === undefined || dictionary === undefined) throw new Error('no dictionary');
    const known = dictionary.data.flatMap((each: Data<Utf8>) => [...filter.hasMany(columnOf(each))]);
    const flags = Array.from({ length: data.length }, (_, i) => (data.getValid(i) ? known[data.values[i] ?? 0] : 0));
    expect(flags).toEqual(strings.map((each) => (each !== null && filter.has(each) ? 1 : 0)));
  });
});
