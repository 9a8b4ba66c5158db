import { describe, expect, it } from 'vitest';
import * as api from '../../src/index.ts';
import { BloomFilter, column, lines } from '../../src/index.ts';
import { errorOf } from '../format/saved.ts';

/** Values that people pass by mistake. Which of them are right depends on the argument. */
const values: unknown[] = [
  ...[undefined, null, Number.NaN, Infinity, -Infinity, -1, 0, 1.5, 2 ** 53, 1e308],
  ...['', 'abc', 'x'.repeat(10_000), -1n, 10n ** 1000n, true, Symbol('s'), () => 1, /x/],
  ...[{}, [], [[]], new Date(0), new Map(), new Float64Array(2), new Uint16Array(2), new Uint8Array(2)],
  ...[new DataView(new ArrayBuffer(2)), Object.create(null), new Proxy({}, {})],
  Object.defineProperty({}, 'constructor', {
    get() {
      throw new Error('of the getter');
    },
  }),
  ...[Symbol('s'), 'x'.repeat(100_000)].map((name) => Object.create({ constructor: { name } })),
];

/** Calls with every value that is wrong for an argument, and expects an error that names the argument. */
function refuses(name: RegExp, isRight: (value: unknown) => boolean, call: (value: never) => unknown): void {
  for (const value of values) {
    if (isRight(value)) continue;
    const error = errorOf(() => call(value as never));
    const label = `${typeof value} ${Object.prototype.toString.call(value)} ${String(typeof value === 'object' ? '' : String(value)).slice(0, 20)}`;
    expect(error, label).toSatisfy((e) => e instanceof TypeError || e instanceof RangeError);
    expect(error.message, label).toMatch(name);
    expect(error.message.length, label).toBeLessThan(300);
    const isWrongType = typeof value !== 'number';
    if (typeof value !== 'bigint')
      expect(error instanceof TypeError, `${label}: ${error}`).toBe(isWrongType || !(error instanceof RangeError));
  }
}

type IsRight = (value: unknown) => boolean;
const never: IsRight = () => false;
function isInteger(low: number, high: number): IsRight {
  return (value) => Number.isInteger(value) && Number(value) >= low && Number(value) <= high;
}
const isIterable: IsRight = (value) => (Array.isArray(value) && value.length === 0) || value instanceof Map;
const isBytes: IsRight = (value) => value instanceof Uint8Array;
const isKey: IsRight = (value) =>
  typeof value === 'string' || isBytes(value) || Number.isSafeInteger(value) || value === -1n;
const isObject: IsRight = (value) => typeof value === 'object' && value !== null;
const or =
  (right: unknown, isRight = never): IsRight =>
  (value) =>
    value === right || isRight(value);
const ANY_OPTION = /^(options|capacity|errorRate|bits|hashes|seed) must be /;
const KEYS = /^keys must be |^keys\[0\] must be /;
const most = 2 ** 53 - 1;

const filter = new BloomFilter({ capacity: 100 });
filter.add('before');
const before = filter.clone();
const verbs: ((keys: never) => unknown)[] = [
  (keys) => filter.addMany(keys),
  (keys) => filter.hasMany(keys),
  (keys) => filter.pick(keys),
  (keys) => filter.omit(keys),
  (keys) => filter.dedupe(keys),
];

const calls: [call: (value: never) => unknown, message: RegExp, isRight: IsRight][] = [
  [(options) => new BloomFilter(options), /^(options|capacity) must be /, never],
  [(capacity) => new BloomFilter({ capacity }), /^capacity must be |^a filter of /, isInteger(1, 1e9)],
  [(errorRate) => new BloomFilter({ capacity: 1, errorRate }), /^errorRate must be /, or(undefined)],
  [(seed) => new BloomFilter({ capacity: 1, seed }), /^seed must be /, or(undefined, or(0))],
  [(keys) => BloomFilter.from(keys, { capacity: 10 }), KEYS, isIterable],
  [(options) => BloomFilter.from(['a'], options), ANY_OPTION, or(undefined, isObject)],
  [(key) => filter.add(key), /^key must be /, isKey],
  [(key) => filter.has(key), /^key must be /, isKey],
  ...verbs.map((verb): [typeof verb, RegExp, IsRight] => [verb, KEYS, isIterable]),
  [(out) => filter.addMany(['a'], out), /^out must be /, or(undefined, isBytes)],
  [(out) => filter.hasMany(['a'], out), /^out must be /, or(undefined, isBytes)],
  ...(['union', 'intersection', 'merge', 'equals'] as const).map((verb): (typeof calls)[number] => [
    (other) => filter[verb](other),
    /^other must be a BloomFilter, got /,
    never,
  ]),
  [(bytes) => lines(bytes), /^bytes must be /, isBytes],
  [(options) => lines(new Uint8Array(1), options), /^options must be /, or(undefined, isObject)],
  [(crlf) => lines(new Uint8Array(1), { crlf }), /^options\.crlf must be a boolean, got /, or(undefined, or(true))],
  [(data) => column(data, Int32Array.of(0)), /^data must be /, isBytes],
  [(offsets) => column(new Uint8Array(1), offsets), /^offsets must be /, never],
  [(capacity) => api.optimalBits(capacity, 0.5), /^capacity must be /, isInteger(1, most)],
  [(errorRate) => api.optimalBits(1, errorRate), /^errorRate must be /, never],
  [(capacity) => api.optimalHashes(capacity, 1), /^capacity must be /, isInteger(1, most)],
  [(bits) => api.optimalHashes(1, bits), /^bits must be /, isInteger(1, most)],
  [(count) => api.expectedErrorRate(count, 1, 1), /^count must be /, isInteger(0, most)],
  [(bits) => api.expectedErrorRate(1, bits, 1), /^bits must be /, isInteger(1, most)],
  [(hashes) => api.expectedErrorRate(1, 1, hashes), /^hashes must be /, isInteger(1, 255)],
  [(module) => api.useKernel(module), /^module must be a WebAssembly.Module, got /, never],
];

describe('bad input', () => {
  it.each(calls)('is refused with the name of the argument, and changes nothing: %#, %s', (call, message, isRight) => {
    refuses(message, isRight, call);
    expect(filter.equals(before)).toBe(true);
  });

  it('by the constructor', () => {
    const ofSeed = /^seed must be an integer from 0 to 4294967295, got 4294967296$/;
    expect(() => new BloomFilter({ capacity: 1, seed: 2 ** 32 })).toThrow(ofSeed);
    const ofRate = /^errorRate must be a number between 0 and 1, both excluded, got 1$/;
    expect(() => new BloomFilter({ capacity: 1, errorRate: 1 })).toThrow(ofRate);
    expect(() => (BloomFilter as unknown as () => void)()).toThrow(TypeError);
  });

  it('by the methods for one key, which show it, or name its class', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    class Named {}
    for (const [value, shown] of [
      [proxy, 'an object'],
      [new Named(), 'an object (Named)'],
      [new (class {})(), 'an object (Object)'],
      [new Uint16Array(1), 'an object (Uint16Array)'],
      [-(2n ** 63n) - 1n, '-9223372036854775809n'],
      [2n ** 127n, 'a bigint of more than 128 bits'],
    ] as [never, string][]) {
      expect(errorOf(() => filter.has(value)).message).toMatch(/^key must be /);
      expect(errorOf(() => filter.has(value)).message.endsWith(`, got ${shown}`)).toBe(true);
    }
  });

  it('by the methods for many keys, with what to do instead', () => {
    expect(() => filter.addMany('abc' as never)).toThrow(/got "abc", which is one key$/);
    const later =
      /, got an object \(\w+\): addLines\(filter, source\) adds its lines, and for await gives one key at a/;
    async function* keysToCome() {
      yield 'a';
    }
    const all = [...verbs, (keys: never) => BloomFilter.from(keys)];
    for (const source of [keysToCome(), new Blob(['a']), new Response('a'), new Blob(['a']).stream()]) {
      for (const verb of all) expect(() => verb(source as never)).toThrow(later);
    }
    const map = new Map([['a', 1]]);
    const ofMap = /^keys must be .*got an object \(Map\), .*: pass \[\.\.\.map\.keys\(\)\]$/;
    for (const verb of all) {
      expect(errorOf(() => verb(map as never))).toBeInstanceOf(TypeError);
      expect(() => verb(map as never)).toThrow(ofMap);
    }
  });

  it('with rates in three digits', () => {
    const one = new BloomFilter({ capacity: 10, errorRate: 1 / 3 });
    const message = /^other must have 24 bits for capacity 10 at 0\.333, got 46 bits for capacity 11 at 0\.143$/;
    expect(() => one.union(new BloomFilter({ capacity: 11, errorRate: 1 / 7 }))).toThrow(message);
    expect(() => api.optimalBits(most, 1 / 3e9)).toThrow(/^capacity 9007199254740991 at errorRate 3\.33e-10 needs/);
  });
});
