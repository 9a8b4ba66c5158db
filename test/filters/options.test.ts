import { describe, expect, it } from 'vitest';
import {
  addLines,
  BloomFilter,
  type BloomFilterOptions,
  dedupeLines,
  type LineOptions,
  lines,
  omitLines,
  pickLines,
} from '../../src/index.ts';
import { sizedKinds } from '../shared/kinds.ts';
import { sourceOf, text } from '../shared/stream-tools.ts';

describe.each(sizedKinds)('options of a filter: $kind', ({ Filter, sizes, fixedHashes }) => {
  it('names what is near to an unknown one, or lists the options if none is near', () => {
    const known = ['capacity', 'errorRate', ...sizes, 'seed'].join(', ');
    for (const [name, message] of [
      ['errorrate', 'did you mean errorRate?'],
      ['fpp', `the options are ${known}`],
    ] as const) {
      const expected = new TypeError(`unknown option ${name}; ${message}`);
      expect(() => new Filter({ capacity: 10, [name]: undefined })).toThrow(expected);
      expect(() => Filter.from(['a'], { [name]: 1e-6 })).toThrow(expected);
    }
  });

  it('refuses the size of another kind', () => {
    const [size = ''] = sizes;
    const other = size === 'bits' ? 'counters' : 'bits';
    expect(() => new Filter({ [other]: 8, hashes: 1 })).toThrow(`unknown option ${other}; the options are `);
    if (fixedHashes === undefined) return;
    expect(() => new Filter({ [size]: 512, hashes: fixedHashes })).toThrow('unknown option hashes; the options are ');
  });

  it('takes undefined for an option that is left out, and options with getters', () => {
    const options = { capacity: 10, errorRate: undefined, seed: undefined, [sizes[0] ?? '']: undefined };
    expect(new Filter(options).errorRate).toBe(0.01);
    class Config {
      readonly #capacity = 20;
      get capacity(): number {
        return this.#capacity;
      }
      get comment(): string {
        return 'not an own property, so not an option';
      }
    }
    expect(new Filter(new Config()).capacity).toBe(20);
    expect(Filter.from(['a'], new Config()).capacity).toBe(20);
    expect(new Filter(Object.assign(Object.create(null), { capacity: 30 })).capacity).toBe(30);
    expect(new Filter({ capacity: 40, [Symbol('mark')]: 1 }).capacity).toBe(40);
  });
});

describe('options of a filter', () => {
  it.each([
    ['errorate', 'errorRate'],
    ['error_rate', 'errorRate'],
    ['ERRORRATE', 'errorRate'],
    ['capcity', 'capacity'],
    ['Capacity', 'capacity'],
    ['maxCapacity', 'capacity'],
    ['sede', 'seed'],
    ...['p', 'n', '', '0', '__proto__', 'constructor'].map((name) => [name, undefined]),
  ])('have names that are near to %j', (name = '', nearest) => {
    const options = Object.fromEntries([
      ['capacity', 10],
      [name, undefined],
    ]);
    const message = nearest ? `did you mean ${nearest}?` : 'the options are capacity, errorRate, bits, hashes, seed';
    expect(() => new BloomFilter(options as never)).toThrow(new TypeError(`unknown option ${name}; ${message}`));
  });

  it('may be more in a subclass, which passes the rest on', () => {
    class Named extends BloomFilter {
      readonly name: string;
      constructor({ name = '', ...rest }: BloomFilterOptions & { name?: string }) {
        super(rest);
        this.name = name;
      }
    }
    expect(new Named({ capacity: 5, name: 'a' }).name).toBe('a');
    expect(Named.from(['x', 'y'], { name: 'b' })).toMatchObject({ name: 'b', capacity: 2 });
    expect(Named.from(['x', 'y'], { name: 'b', bits: 64, hashes: 2 })).toMatchObject({ name: 'b', bits: 64 });
    const misspelt: object = { nam: 'b' };
    expect(() => Named.from(['x'], misspelt)).toThrow(/^unknown option nam; the options are /);
  });

  it('say what was meant if they are no object', () => {
    const from = (options: unknown) => () => BloomFilter.from(['a'], options as object);
    expect(from(0.01)).toThrow(new TypeError('options must be an object such as { errorRate: 0.01 }, got 0.01'));
    expect(from(['a'])).toThrow('options must be an object such as { errorRate: 0.01 }, got an object (Array)');
    const make = (options: unknown) => () => new BloomFilter(options as BloomFilterOptions);
    const wanted = 'options must be an object such as { capacity: 1000, errorRate: 0.01 }, got ';
    expect(make(1000)).toThrow(new TypeError(`${wanted}1000`));
    expect(make(undefined)).toThrow(new TypeError(`${wanted}undefined`));
    expect(make(new Uint8Array(2 ** 30))).toThrow(new TypeError(`${wanted}an object (Uint8Array)`));
  });

  it('are cut in errors after 40 letters', () => {
    const long = 'capacity'.repeat(1e6);
    expect(() => new BloomFilter({ capacity: 1, [long]: 1 })).toThrow(
      `unknown option ${'capacity'.repeat(5)}; the options are `,
    );
  });
});

describe('options of lines and streams', () => {
  const bytes = text('a\nb');
  const filter = BloomFilter.from(['a']);
  const unknown = (options: object): LineOptions => options;

  it('are known to lines', () => {
    expect(() => lines(bytes, unknown({ crfl: false }) as object)).toThrow(
      new TypeError('unknown option crfl; did you mean crlf?'),
    );
    expect(() => lines(bytes, unknown({ signal: undefined }) as object)).toThrow(
      new TypeError('unknown option signal; the options are crlf'),
    );
    expect(() => lines(bytes, false as never)).toThrow(
      new TypeError('options must be an object such as { crlf: false }, got false'),
    );
    expect(lines(bytes, { crlf: false }).crlf).toBe(false);
    // Lines have properties that are no options.
    expect(filter.pick(lines(bytes, { crlf: false })).crlf).toBe(false);
  });

  it.each([
    ['onProgres', 'onProgress'],
    ['onprogress', 'onProgress'],
    ['Signal', 'signal'],
    ['crfl', 'crlf'],
  ])('are known to streams, which name what is near to %s', async (name, nearest) => {
    const expected = new TypeError(`unknown option ${name}; did you mean ${nearest}?`);
    for (const stream of [pickLines, omitLines, dedupeLines]) {
      expect(() => stream(filter, unknown({ [name]: undefined }))).toThrow(expected);
    }
    await expect(addLines(filter, sourceOf([bytes]), unknown({ [name]: undefined }))).rejects.toThrow(expected);
  });

  it('are listed if none is near', () => {
    expect(() => pickLines(filter, unknown({ encoding: 'utf8' }))).toThrow(
      new TypeError('unknown option encoding; the options are crlf, onProgress, signal'),
    );
  });
});
