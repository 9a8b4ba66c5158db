import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, lines } from '../../src/index.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { bytesOf } from '../shared/oracle.ts';
import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('pick, omit and dedupe: $name', ({ Filter, sized }) => {
  const filter = Filter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });

  it('give an array for an array or an iterable', () => {
    expect(filter.pick(['a', 'b', 2, 2n, 4])).toEqual(['b', 2, 2n]);
    expect(filter.omit(['a', 'b', 2, 2n, 4])).toEqual(['a', 4]);
    expect(filter.pick(new Set(['a', 'b']))).toEqual(['b']);
    expect(new Filter({ capacity: 9 }).dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
  });

  it('give the same objects as in an array', () => {
    const bytes = text('b');
    expect(filter.pick([bytes])[0]).toBe(bytes);
  });

  it('keep keys longer than the scratch', () => {
    const long = 'z'.repeat(150_000);
    const some = Filter.from([long, 'b'], { errorRate: 1e-5 });
    expect(some.pick(['a', long, 'b'])).toEqual([long, 'b']);
    expect(new TextDecoder().decode(some.pick(lines(text(`a\n${long}\r\nb\nc`))).bytes)).toBe(`${long}\r\nb\n`);
    const picked = some.pick(column(text(`a${long}b`), Int32Array.of(0, 1, 150_001, 150_002)));
    expect([...picked.offsets]).toEqual([0, 150_000, 150_001]);
    expect(some.omit(lines(text(`a\n${long}\nb`))).bytes).toEqual(text('a\n'));
  });

  it('agree with has for every source', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 3 })), (strings) => {
        using small = sized({ cells: 40, hashes: 2 }).addMany(['a', 'é']);
        const expected = strings.filter((each) => small.has(each));
        const joined = strings.map((each) => `${each}\n`).join('');
        const wanted = expected.map((each) => `${each}\n`).join('');
        expect(new TextDecoder().decode(small.pick(lines(text(joined))).bytes)).toBe(wanted);
        const offsets = [0];
        for (const each of strings) offsets.push((offsets.at(-1) ?? 0) + bytesOf(each).length);
        const picked = small.pick(column(text(strings.join('')), Int32Array.from(offsets)));
        expect(new TextDecoder().decode(picked.data)).toBe(expected.join(''));
        expect(picked.length).toBe(expected.length);
      }),
    );
  });

  it('return the bytes of a set as copies, and those of an array as they are', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const filter = new Filter({ capacity: 10 });
    expect(filter.omit([bytes])[0]).toBe(bytes);
    const [copy] = filter.omit(new Set([bytes]));
    expect(copy).toEqual(bytes);
    expect(copy).not.toBe(bytes);
  });
});
