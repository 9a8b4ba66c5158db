// The errors that a program may react to: their fields, and that every copy of the package recognizes them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as cuckoo from '../../../src/entries/cuckoo.ts';
import * as jsCuckoo from '../../../src/entries/js/cuckoo.ts';
import * as jsApi from '../../../src/entries/js/index.ts';
import * as load from '../../../src/entries/load.ts';
import { ScalableBloomFilter } from '../../../src/entries/scalable.ts';
import * as api from '../../../src/index.ts';
import { addLines, FilterFullError, lines, SavedFilterError } from '../../../src/index.ts';
import { showBytes } from '../../../src/util/checks/validate.ts';
import { asynchronous, errorOf, forge, splitAt } from '../../format/saved.ts';
import { range } from '../../shared/integers.ts';
import { kinds } from '../../shared/kinds.ts';
import { refuses } from '../../shared/refuses.ts';

it('messages have numbers of bytes in three digits', () => {
  expect([0, 1, 999, 1000, 1.25e9].map(showBytes)).toEqual(['0 B', '1 B', '999 B', '1 KB', '1.25 GB']);
});

describe('FilterFullError', () => {
  const { CuckooFilter } = cuckoo;
  const size = { buckets: 3000, fingerprintBits: 20 };
  /** Far more lines than fit into the filter, or into one part of a stream. */
  const texts = range(0, 30_000).map((i) => `a line with the number ${i}`);
  const bytes = new TextEncoder().encode(`${texts.join('\n')}\n`);
  const filled = new CuckooFilter(size);
  /** The position of the first line that is refused, found one by one. */
  const first = texts.findIndex((text) => refuses(filled, text));
  const full = { name: 'FilterFullError', code: 'FULL', position: first };

  it('has the position among the keys of the call, however they come', () => {
    expect(first).toBeGreaterThan(8192);
    for (const keys of [() => texts, () => new Set(texts), () => texts.values(), () => lines(bytes)]) {
      for (const verb of ['addMany', 'dedupe'] as const) {
        const filter = new CuckooFilter(size);
        const error = errorOf(() => filter[verb](keys())) as FilterFullError;
        expect(error).toMatchObject(full);
        expect(error.message).toBe(`keys[${first}] does not fit: ${error.reason}`);
        expect(filter.count).toBe(first);
      }
    }
    expect(errorOf(() => filled.add(texts[first] as string))).toMatchObject({ ...full, position: 0 });
    const copies = ['b', ...Array<string>(9).fill('a')];
    expect(errorOf(() => new CuckooFilter(size).addMany(copies))).toMatchObject({ code: 'COPIES', position: 9 });
  });

  it('has the position in the whole text for addLines, wherever the text was cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 5 }), async (cuts) => {
        const ends = cuts.sort((a, b) => a - b);
        const filter = new CuckooFilter(size);
        const error = await addLines(filter, asynchronous(splitAt(bytes, ends))).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(FilterFullError);
        expect(error).toMatchObject(full);
        const reason = `its buckets are full; the filter has ${first} keys in `;
        expect((error as Error).message).toMatch(`keys[${first}] does not fit: ${reason}`);
        expect((error as Error).cause).toBeInstanceOf(FilterFullError);
        expect(filter.count).toBe(first);
      }),
      { numRuns: 10 },
    );
  });

  it('names no line where the filter cannot grow, and has the position', async () => {
    const make = () => new ScalableBloomFilter({ capacity: 1, errorRate: 0.5, tightening: 1e-20 });
    const { position } = errorOf(() => make().addMany(texts)) as FilterFullError;
    const ends = [1, 2].map((count) => texts.slice(0, count).join('\n').length + 1);
    const adding = addLines(make(), asynchronous(splitAt(bytes, ends)));
    const error = await adding.catch((reason: unknown) => reason as FilterFullError);
    expect(error).toMatchObject({ name: 'FilterFullError', code: 'FULL', position });
    expect(error).toMatchObject({ message: expect.stringMatching(/^a filter of \d+ keys cannot grow: /) });
  });
});

describe.each(kinds)('SavedFilterError: $name', (subject) => {
  const file = subject.Filter.from(['ada', 'bob', 7]).toBytes();
  const set = (at: number, value: number): Uint8Array => {
    const changed = file.slice();
    changed[at] = value;
    return changed;
  };
  const other = subject.kind === 'cuckoo' ? api.BlockedBloomFilter.from(['ada']) : cuckoo.CuckooFilter.from(['ada']);

  it.each([
    ['nothing', new Uint8Array(0), 'TRUNCATED'],
    ['a text', new TextEncoder().encode('longer than a header '.repeat(4)), 'FOREIGN'],
    ['three bytes', file.slice(0, 3), 'TRUNCATED'],
    ['a later version', set(4, 2), 'VERSION'],
    ['a kind that nobody knows', set(5, 200), 'VERSION'],
    ['a hash that nobody knows', set(6, 3), 'VERSION'],
    ['another hash that is known', set(6, subject.isKeyed ? 1 : 2), 'SECRET'],
    ['another kind', other.toBytes(), 'KIND'],
    ['only the magic', file.slice(0, 4), 'TRUNCATED'],
    ['not even a header', file.slice(0, 63), 'TRUNCATED'],
    ['only a header', file.slice(0, 64), 'TRUNCATED'],
    ['all but the last byte', file.slice(0, -1), 'TRUNCATED'],
    ['a byte too many', Uint8Array.of(...file, 0), 'DAMAGED'],
    ['a changed body', set(file.length - 1, (file.at(-1) ?? 0) ^ 1), 'DAMAGED'],
    ['a changed checksum', set(56, (file[56] ?? 0) ^ 1), 'DAMAGED'],
    ['no hashes, with the right checksum', forge(file, (view) => view.setUint32(12, 0, true)), 'DAMAGED'],
  ])('of %s', (_, bytes, code) => {
    const classes = [subject.Twin, ...subject.bases, api.BloomFilter] as object[] as (typeof api.BloomFilter)[];
    const ends = [1, 5, 64, 80].filter((end) => end < bytes.length);
    for (const error of [
      errorOf(() => subject.Filter.fromBytes(bytes)),
      errorOf(() => subject.Filter.fromChunks(splitAt(bytes, ends))),
      errorOf(() => load.loadAny(classes, bytes)),
    ]) {
      expect(error).toBeInstanceOf(SavedFilterError);
      const { name, code: given, kind, message, reason } = error as SavedFilterError;
      expect([name, given, kind]).toEqual(['SavedFilterError', code, code === 'KIND' ? other.kind : undefined]);
      expect(message).toBe(`bytes must be a saved filter: ${reason}`);
    }
  });
});

type Api = Pick<typeof api, 'BloomFilter' | 'FilterFullError' | 'SavedFilterError' | 'FilterMemoryError'>;
type Copy = Api & Pick<typeof cuckoo, 'CuckooFilter'>;
const NAMES = ['FilterFullError', 'SavedFilterError', 'FilterMemoryError'] as const;

describe('errors of all copies', async () => {
  const require = createRequire(import.meta.url);
  const context = createContext({ TextEncoder, TextDecoder });
  runInContext(readFileSync('dist/bloomery.iife.js', 'utf8'), context);
  const copies: Record<string, Copy> = {
    source: { ...api, ...cuckoo },
    'in plain JavaScript': { ...jsApi, ...jsCuckoo },
    package: { ...(await import('bloomery')), ...(await import('bloomery/cuckoo')) } as object as Copy,
    required: { ...require('bloomery'), ...require('bloomery/cuckoo') },
    'in another realm': runInContext('bloomery', context) as Copy,
    'a single file': (await import('../../../dist/bloomery.min.js' as string)) as Copy,
  };
  // Not `errorOf`, which knows only the errors of this realm.
  const thrown = (call: () => unknown): Error => {
    try {
      call();
    } catch (error) {
      return error as Error;
    }
    return expect.unreachable();
  };
  /** The errors that a copy throws, by their names. */
  const thrownBy = ({ BloomFilter, CuckooFilter }: Copy): Record<(typeof NAMES)[number], Error> => ({
    FilterFullError: thrown(() => new CuckooFilter({ capacity: 9 }).addMany(Array<string>(9).fill('a'))),
    SavedFilterError: thrown(() => BloomFilter.fromBytes(new Uint8Array(100))),
    FilterMemoryError: thrown(() => new BloomFilter({ bits: 2 ** 50, hashes: 1 })),
  });

  it.each(Object.keys(copies))('are recognized, and no others: %s', (name) => {
    const copy = copies[name] as Copy;
    for (const other of Object.values(copies)) {
      const errors = thrownBy(other);
      for (const wanted of NAMES) {
        const recognized = NAMES.filter((each) => errors[wanted] instanceof copy[each]);
        expect(recognized).toEqual([wanted]);
      }
    }
    for (const value of [undefined, null, 'FilterFullError', 7, {}, new RangeError('full'), new Error('x')]) {
      expect(NAMES.filter((each) => (value as Error) instanceof copy[each])).toEqual([]);
    }
  });

  it('have their names in stacks, and fields that can be read', () => {
    for (const name of NAMES) {
      const error = thrownBy(copies['source'] as Copy)[name];
      expect(error).toBeInstanceOf(RangeError);
      expect([error.name, String(error.stack).split(':')[0]]).toEqual([name, name]);
      expect(Object.keys(error)).not.toContain('name');
    }
  });

  it('are no errors of a subclass that did not throw them', () => {
    class Mine extends FilterFullError {}
    const { FilterFullError: other } = thrownBy(copies['source'] as Copy);
    const mine = new Mine('mine', { code: 'FULL', reason: 'mine', position: 3 });
    expect([other instanceof Mine, mine instanceof Mine, mine instanceof FilterFullError]).toEqual([false, true, true]);
  });
});
