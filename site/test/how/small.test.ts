// The small filters of pictures, and the addresses of steps, which keep what was done to these.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cuckoo } from '../../../test/shared/oracle-cuckoo.ts';
import { chooseEngine } from '../../src/engine.ts';
import { embedCode, fromFragment, toFragment, wholeIn } from '../../src/how/address.ts';
import { type KindName, kindOf, pictureKinds } from '../../src/how/small/kinds.ts';
import {
  type Action,
  append,
  fromParameters,
  MOST_ACTIONS,
  MOST_NAMES,
  toParameters,
} from '../../src/how/small/log.ts';
import { Model } from '../../src/how/small/model.ts';
import { movesOf } from '../../src/how/small/moves.ts';
import { absentNames } from '../../src/how/small/names.ts';
import { afterAdd, afterNames, afterRemove, describe as inWords } from '../../src/how/small/wording.ts';

const engine = await chooseEngine();
const create = (name: KindName): Promise<Model> => Model.create(kindOf(name), engine);

/** Adds a key for which there is room, and returns the message. */
function added(model: Model, key: string): string {
  const change = model.add(key);
  if (change === undefined) throw new Error(`no room for ${key}`);
  return afterAdd(model, key, change);
}

describe.each(pictureKinds)('the model of a filter: $name', (kind) => {
  it('holds a key in cells that are its own', async () => {
    const model = await Model.create(kind, engine);
    added(model, 'ada');
    const { cells } = model.placeOf('ada');
    const used = model.cells.flatMap((value, cell) => (value > 0 ? [cell] : []));
    expect(cells).toEqual(expect.arrayContaining(used));
    expect(inWords(model, 'ada')).toContain(`${used.length} ${kind.words.used}.`);
  });

  it('removes what was added, if it removes', async () => {
    const model = await Model.create(kind, engine);
    expect(model.remove('ada')).toBeUndefined();
    added(model, 'ada');
    const change = model.remove('ada');
    expect(change !== undefined).toBe(kind.removes === true);
    expect(model.has('ada')).toBe(kind.removes !== true);
    expect(model.count).toBe(kind.removes ? 0 : 1);
    if (change) expect(afterRemove(model, 'ada', true, change)).toMatch(/^Removed “ada”: [a-z].*\.$/);
  });

  it('does again what was done', async () => {
    const model = await Model.create(kind, engine);
    model.addNames(20);
    model.add('ada');
    model.remove('ada');
    model.remove('never added');
    model.add('grace');
    model.addNames(3);
    const again = await Model.create(kind, engine, model.actions);
    expect(again.actions).toEqual(model.actions);
    expect(again.cells).toEqual(model.cells);
    expect(again.missed()).toEqual(model.missed());
  });
});

it('a model knows what nobody has added, and begins again when it is cleared', async () => {
  const model = await create('counting');
  const [name = ''] = absentNames;
  for (let i = 0; i < 2; i++) model.add(name);
  model.remove(name);
  expect([model.count, model.measure().asked]).toEqual([1, absentNames.length - 1]);
  const { names } = model.addNames(15);
  model.clear();
  expect(model.addNames(15).names).toEqual(names);
});

it('the hash of a key begins as the specification says', async () => {
  const model = await create('classic');
  expect(['a', 'hello, world', ''].map((key) => model.hashOf(key))).toEqual(['85555565', '342fac62', '00000000']);
});

describe('what the page says', () => {
  it('tells which fingerprints moved in a cuckoo filter', async () => {
    const model = await create('cuckoo');
    const messages = Array.from({ length: 55 }, (_, i) => {
      const before = model.cells;
      const message = added(model, `key ${i}`);
      const moved = model.cells.filter((value, cell) => before[cell] !== value).length - 1;
      expect(message.match(/ from bucket \d+ to \d+/g)?.length ?? 0).toBe(moved);
      return message;
    });
    expect(messages.join()).toMatch(/To make room, \d fingerprints? moved: [0-9a-f]{2} from /);
  });

  const bounded = pictureKinds.filter(({ bucketCells }) => bucketCells !== undefined);
  it.each(bounded)('says which key a full filter refuses: $name', async (kind) => {
    const model = await Model.create(kind, engine);
    const all = model.addNames(200);
    expect(all.refused).toBeDefined();
    const { cells, count } = model;
    expect(model.add(all.refused as string)).toBeUndefined();
    const said = afterNames(model, model.addNames(10), model.measure());
    expect(said).toBe(`There is no room for “${all.refused}”: the filter refuses it, and has not changed.`);
    expect([model.cells, model.count, model.missed()]).toEqual([cells, count, []]);
  });
});

describe('the moves in a cuckoo filter', () => {
  const oracle = new Cuckoo(16, 7, 0);
  /** The fingerprint of a key and its two buckets, as one text. */
  const homeOf = (key: string): string => {
    const { fingerprint, first, second } = oracle.placeOf(key);
    return [fingerprint, Math.min(first, second), Math.max(first, second)].join();
  };

  it('lead from the slots before to the slots after, each from one bucket of a stored key to its other one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string({ maxLength: 8 }), { minLength: 45, maxLength: 60 }), async (keys) => {
        const model = await create('cuckoo');
        const homes = new Set<string>();
        for (const key of keys) {
          const change = model.add(key);
          if (change === undefined) continue;
          const moves = movesOf(change);
          const slots = [...change.before];
          for (const { value, from, to } of [...moves].reverse()) {
            expect(slots[to]).toBe(0);
            slots[to] = value;
            if (from === undefined) continue;
            expect(slots[from]).toBe(value);
            slots[from] = 0;
            const buckets = [from, to].map((cell) => Math.floor(cell / 4)).sort((a, b) => a - b);
            expect(homes).toContain([value, ...buckets].join());
          }
          expect(slots).toEqual(change.values);
          expect(moves[0]?.from).toBeUndefined();
          homes.add(homeOf(key));
        }
      }),
      { seed: 37, numRuns: 12 },
    );
  });

  it('are none if nothing explains what has changed', () => {
    const change = { cells: [0], entry: 5, before: [1, 2, 0], values: [5, 3, 9] };
    expect(movesOf(change)).toEqual([]);
    const other = { cells: [0], entry: 5, before: [4, 0], values: [9, 4] };
    expect(movesOf(other)).toEqual([]);
    expect(movesOf({ ...other, entry: 9 })).toEqual([
      { value: 9, from: undefined, to: 0 },
      { value: 4, from: 0, to: 1 },
    ]);
  });
});

const key = fc.string({ maxLength: 100, unit: 'grapheme' }).filter((text) => text.length <= 100);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), key }),
  fc.record({ type: fc.constant('remove' as const), key }),
  fc.record({ type: fc.constant('names' as const), count: fc.integer({ min: 1, max: 100 }) }),
);

describe('the address of a step', () => {
  it('keeps any state', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]+$/), pairs, (id, state) => {
        const address = { id, state: new URLSearchParams(state) };
        const url = new URL(`https://example.org/how.html${toFragment(address)}`);
        const read = fromFragment(url.hash);
        expect(url.search).toBe('');
        expect(read.id).toBe(id);
        expect([...read.state]).toEqual([...address.state]);
      }),
    );
  });

  it('takes a number within the limits, and the default for another', () => {
    const read = (n: string): number => wholeIn(new URLSearchParams({ n }), 'n', 1, 10, 7);
    expect(['1', '10'].map(read)).toEqual([1, 10]);
    for (const text of ['', '0', '1.5', '-1', '11', 'NaN', '1e99', '0x', ' ']) expect(read(text)).toBe(7);
    expect(wholeIn(new URLSearchParams(), 'n', 1, 10, 7)).toBe(7);
  });

  it('cannot break out of the code that embeds it', () => {
    const code = embedCode('https://example.org/"><script>#bits?a=1&key=b', 'A "title" & <more>', 700);
    expect(code.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
    expect(code).toContain('src="https://example.org/&quot;&gt;&lt;script&gt;#bits?a=1&amp;key=b"');
    expect(code).toContain('height="700" style="border: 0"');
  });
});

describe('what was done to a filter, in an address', () => {
  it('comes back in its order', () => {
    fc.assert(
      fc.property(key, fc.array(action, { maxLength: MOST_ACTIONS }), (asked, all) => {
        const actions = all.reduce<Action[]>(append, []);
        const parameters = toParameters({ key: asked, actions });
        // What does not fit is left out as a whole.
        if (parameters === undefined) return;
        expect(fromParameters(new URLSearchParams(parameters.toString()))).toEqual({ key: asked, actions });
      }),
    );
  });

  it('is left out when it is too long', () => {
    const actions = Array.from({ length: MOST_ACTIONS + 1 }, (): Action => ({ type: 'remove', key: 'a' }));
    expect(toParameters({ key: '', actions })).toBeUndefined();
    expect(toParameters({ key: '', actions: actions.slice(1) })).toBeDefined();
    const names = (count: number): Action[] => [{ type: 'names', count }];
    expect(toParameters({ key: '', actions: names(MOST_NAMES + 1) })).toBeUndefined();
    expect(toParameters({ key: '', actions: names(MOST_NAMES) })).toBeDefined();
  });

  it('has limits, whoever wrote it', () => {
    const text = `n=${MOST_NAMES + 1}&n=1e9&n=-1&n=&n=0.5&x=1&a9=b&aa=c&a=${'d'.repeat(101)}&a=${'e'.repeat(100)}&r=ok&n=${MOST_NAMES}`;
    expect(fromParameters(new URLSearchParams(text)).actions).toEqual([
      { type: 'add', key: 'e'.repeat(100) },
      { type: 'remove', key: 'ok' },
      { type: 'names', count: MOST_NAMES },
    ]);
    expect(fromParameters(new URLSearchParams('r=a&'.repeat(1000))).actions).toHaveLength(MOST_ACTIONS);
    expect(fromParameters(new URLSearchParams({ key: 'e'.repeat(1000) })).key).toHaveLength(100);
  });
});
