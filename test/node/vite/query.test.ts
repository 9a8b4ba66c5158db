import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetKinds } from '../../../src/node/vite/kinds.ts';
import { bytesIdOf, readQuery, splitAsset } from '../../../src/node/vite/query.ts';
import { kinds } from '../../../tools/entries.ts';

const kindNames = Object.keys(assetKinds);

describe('an import of a filter', () => {
  it.each([
    ['./names.txt?bloom', './names.txt', 'bloom'],
    ['/src/a b.txt?bloom&kind=wide', '/src/a b.txt', 'bloom&kind=wide'],
    ['names.txt?kind=fuse&bloom', 'names.txt', 'kind=fuse&bloom'],
  ])('is recognized: %s', (id, path, query) => {
    expect(splitAsset(id)).toEqual({ path, query });
  });

  it.each(['./names.txt', './names.txt?url', './bloom?raw', './names.txt?blooms', './names.txt?x=bloom'])(
    'is not taken for one: %s',
    (id) => expect(splitAsset(id)).toBeUndefined(),
  );

  it('has a kind, an error rate and an engine, in any order', () => {
    const rate = fc.double({ min: 1e-9, max: 1, minExcluded: true, maxExcluded: true, noNaN: true });
    const parameters = fc.record(
      { kind: fc.constantFrom(...kindNames), errorRate: rate, engine: fc.constantFrom('wasm', 'js') },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parameters, fc.infiniteStream(fc.nat()), (given, order) => {
        const all = ['bloom', ...Object.entries(given).map(([name, value]) => `${name}=${value}`)];
        const keyed = all.map((text): [number, string] => [order.next().value as number, text]);
        const query = keyed.sort(([one], [other]) => one - other).map(([, text]) => text);
        expect(readQuery(query.join('&'))).toEqual({
          kind: 'fuse',
          errorRate: undefined,
          engine: 'wasm',
          isBytes: false,
          ...given,
        });
      }),
      { seed: 34 },
    );
  });

  it('tells the module with the bytes from that of the filter', () => {
    const id = './names.txt?bloom&kind=wide';
    const bytes = splitAsset(bytesIdOf(id))?.query ?? '';
    expect(readQuery(bytes)).toEqual({ ...readQuery('bloom&kind=wide'), isBytes: true });
  });

  it.each([
    ['kind=fuze', RangeError, 'kind must be fuse, classic, blocked, wide, counting, cuckoo, got "fuze"'],
    ['kind=', RangeError, 'kind must be fuse, classic, blocked, wide, counting, cuckoo, got ""'],
    ['kind=toString', RangeError, 'got "toString"'],
    ['kinds=fuse', TypeError, 'unknown option kinds; did you mean kind?'],
    ['capacity=10', TypeError, 'unknown option capacity; the options are bloom, kind, errorRate, engine'],
    ['errorRate=1%25', TypeError, 'errorRate must be a number such as 1e-3, got "1%"'],
    ['errorRate=', TypeError, 'errorRate must be a number such as 1e-3, got ""'],
    ['errorRate=2', RangeError, 'errorRate must be a number between 0 and 1, both excluded, got 2'],
    ['errorRate=0', RangeError, 'errorRate must be a number between 0 and 1, both excluded, got 0'],
    ['engine=native', RangeError, 'engine must be wasm, js, got "native"'],
    ['kind=fuse&kind=wide', TypeError, 'kind is given more than once'],
    ['__proto__=1', TypeError, 'unknown option __proto__'],
  ])('with wrong parameters is refused: %s', (parameters, error, message) => {
    const read = (): unknown => readQuery(`bloom&${parameters}`);
    expect(read).toThrow(error);
    expect(read).toThrow(message);
  });

  it('with any text as parameters is read or refused by name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        try {
          expect(kindNames).toContain(readQuery(`bloom&${text}`).kind);
        } catch (error) {
          if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
        }
      }),
      { seed: 34 },
    );
  });
});

describe('the kinds of filters that are made of lists', () => {
  it('are kinds of the package, from its entries', () => {
    const rows = kindNames.map((name) => kinds.find((kind) => kind.name === name));
    const entries = rows.map((row) => ({
      entry: row?.isMain ? 'bloomery' : `bloomery/${row?.name}`,
      className: row?.className,
    }));
    expect(Object.values(assetKinds).map(({ entry, Class }) => ({ entry, className: Class.name }))).toEqual(entries);
  });
});
