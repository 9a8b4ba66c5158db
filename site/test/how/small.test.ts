import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as js from '../../../src/entries/js.ts';
import { Cuckoo } from '../../../test/shared/oracle-buckets.ts';
import { chooseEngine, type Engine } from '../../src/engine.ts';
import { type KindName, kindOf, pictureKinds } from '../../src/how/small/kinds.ts';
import { Model } from '../../src/how/small/model.ts';
import { movesOf } from '../../src/how/small/moves.ts';
import {
  afterAdd,
  afterLookUp,
  afterNames,
  afterRemove,
  atFirst,
  describe as inWords,
  noStranger,
} from '../../src/how/small/wording.ts';

const plain: Engine = js;
const engine = await chooseEngine();
const create = (name: KindName): Promise<Model> => Model.create(kindOf(name), engine);

/** Adds a key for which there is room, and returns the message. */
function added(model: Model, key: string, label = 1): string {
  const change = model.add(key, label);
  if (change === undefined) throw new Error(`no room for ${key}`);
  return afterAdd(model, key, change);
}

/** The numbers of keys with which kinds err often enough to be measured. */
const enough: Readonly<Record<string, number>> = { stable: 300 };

describe.each(pictureKinds.map((kind) => [kind.name, kind] as const))('the model of a filter: %s', (name, kind) => {
  it('is the same on both engines', async () => {
    const [one, other] = [await Model.create(kind, engine), await Model.create(kind, plain)];
    for (const model of [one, other]) model.addNames(30, 1);
    expect(other.cells).toEqual(one.cells);
    expect(other.measure()).toEqual(one.measure());
  });

  it('errs about as often as the formula says', async () => {
    const model = await Model.create(kind, engine);
    expect(model.expectedErrorRate()).toBe(0);
    model.addNames(enough[name] ?? 30, 1);
    const { asked, wrong } = model.measure();
    expect(asked).toBe(10_000);
    expect(wrong / asked / model.expectedErrorRate()).toBeGreaterThan(0.5);
    expect(wrong / asked / model.expectedErrorRate()).toBeLessThan(2);
  });

  it('misses keys only if it forgets', async () => {
    const model = await Model.create(kind, engine);
    model.addNames(30, 1);
    expect(model.count).toBe(30);
    expect(model.missed().length > 0).toBe(name === 'stable');
  });

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

  it('is empty when it starts again', async () => {
    const model = await Model.create(kind, engine);
    const [first] = model.addNames(10, 1).names;
    model.clear();
    expect(model.cells.every((value) => value === 0)).toBe(true);
    expect(model.count).toBe(0);
    expect(model.actions).toEqual([]);
    expect(model.addNames(1, 1).names).toEqual([first]);
  });

  it('does again what was done', async () => {
    const model = await Model.create(kind, engine);
    model.addNames(20, 1);
    model.add('ada', 1);
    model.remove('ada');
    model.remove('never added');
    model.add('grace', kind.labels ?? 1);
    model.addNames(3, 1);
    const again = await Model.create(kind, engine, model.actions);
    expect(again.actions).toEqual(model.actions);
    // A stable filter counts down at places that its number of keys decides.
    expect(again.cells).toEqual(model.cells);
    expect(again.missed()).toEqual(model.missed());
    const refused = await Model.create(kind, engine, [{ type: 'add', key: 'ada', label: 9 }]);
    expect(refused.has('ada')).toBe(true);
  });

  it('finds a stranger that looks present, and one that does not', async () => {
    const model = await Model.create(kind, engine);
    expect(model.findStranger(true)).toBeUndefined();
    model.addNames(enough[name] ?? 30, 1);
    const [present, absent] = [model.findStranger(true) as string, model.findStranger(false) as string];
    expect([present, absent].map((key) => [model.has(key), model.wasAdded(key)])).toEqual([
      [true, false],
      [false, false],
    ]);
  });
});

describe('the hash of a key', () => {
  it.each([
    ['a', '85555565'],
    ['hello, world', '342fac62'],
    ['', '00000000'],
  ])('begins as the specification says: %j', async (key, digits) => {
    expect((await create('classic')).hashOf(key)).toBe(digits);
  });
});

describe('what the page says', () => {
  it('is something at first', async () => {
    const model = await create('cuckoo');
    expect(atFirst(model)).toBe('64 slots, 0 in use. Add a key, and see what changes.');
    model.addNames(2, 1);
    expect(atFirst(model)).toBe('64 slots, 2 in use. 2 keys in it.');
  });

  it('tells that no name was found', () => {
    expect(noStranger(true)).toMatch(/^None of 10,000 names .* looks present yet/);
    expect(noStranger(false)).toMatch(/^All of 10,000 names .* look present/);
  });

  it.each<[KindName, RegExp]>([
    ['classic', /^Added “ada”: set bits \d+, \d+, \d+,? and \d+\.$/],
    ['counting', /^Added “ada”: counted up counters \d+, \d+,? and \d+\.$/],
    ['stable', /^Added “ada”: counted down 8 counters in a row, then set counters \d+, \d+,? and \d+ to 3\.$/],
    ['cuckoo', /^Added “ada”: its fingerprint [0-9a-f]{2} is in bucket \d+ now\.$/],
    ['dleft', /^Added “ada”: its remainder [0-9a-f]{2} went to bucket \d+, the emptiest of its four\.$/],
    ['spatial', /^Added “ada” with label 1: raised cells \d+, \d+, \d+,? and \d+\.$/],
  ])('of a key that was added: %s', async (name, message) => {
    expect(added(await create(name), 'ada')).toMatch(message);
  });

  it('counts the copies in a d-left filter', async () => {
    const model = await create('dleft');
    for (let copy = 0; copy < 2; copy++) added(model, 'ada');
    expect(added(model, 'ada')).toMatch(/^Added “ada”: its cell in bucket \d+ counts 3 copies now\.$/);
    expect(added(model, 'ada')).toMatch(/^Added “ada”: its remainder .. went to bucket \d+, /);
    expect(afterLookUp(model, 'ada')).toMatch(/ is in buckets \d+ and \d+, with 4 copies\. It was added\.$/);
    model.remove('ada');
    const change = model.remove('ada');
    expect(afterRemove(model, 'ada', true, change)).toMatch(/counts 2 copies now\.$/);
  });

  it('tells which fingerprints moved in a cuckoo filter', async () => {
    const model = await create('cuckoo');
    const messages = Array.from({ length: 55 }, (_, i) => {
      const before = model.cells;
      const message = added(model, `key ${i}`);
      const moved = model.cells.filter((value, cell) => before[cell] !== value).length - 1;
      expect(message.match(/ from bucket \d+ to \d+/g)?.length ?? 0).toBe(moved);
      return message;
    });
    expect(messages.some((message) => /To make room, \d fingerprints? moved: [0-9a-f]{2} from /.test(message))).toBe(
      true,
    );
  });

  it('tells a label that is too high', async () => {
    const model = await create('spatial');
    added(model, 'ada', 1);
    expect(added(model, 'ada', 1)).toMatch(/ had that label or a higher one, so nothing has changed\.$/);
    expect(afterLookUp(model, 'ada')).toBe(
      '“ada” may be present: the least label of its cells is 1. It was added with label 1.',
    );
    model.addNames(200, 3);
    expect(afterLookUp(model, 'ada')).toMatch(/ is 3\. But it was added with label 1: keys with higher labels /);
    added(model, 'ada', 3);
    expect(afterLookUp(model, 'ada')).toMatch(/ It was added with label 3\.$/);
  });

  it('says that a stable filter has forgotten keys', async () => {
    const model = await create('stable');
    expect(afterNames(model, model.addNames(50, 1), model.measure())).toMatch(
      / \d+ keys that were added now look absent\.$/,
    );
    const [forgotten = ''] = model.missed();
    expect(afterLookUp(model, forgotten)).toMatch(
      / is absent, or forgotten: .* But it was added: the filter has forgotten it\.$/,
    );
  });

  it.each(['cuckoo', 'dleft'] as const)('says which key a full filter refuses: %s', async (name) => {
    const model = await create(name);
    const all = model.addNames(200, 1);
    expect(all.refused).toBeDefined();
    const { cells, count } = model;
    expect(model.add(all.refused as string, 1)).toBeUndefined();
    const none = model.addNames(10, 1);
    expect(afterNames(model, none, model.measure())).toBe(
      `There is no room for “${all.refused}”: the filter refuses it, and has not changed.`,
    );
    expect({ cells: model.cells, count: model.count, missed: model.missed() }).toEqual({ cells, count, missed: [] });
  });
});

describe('the moves in a cuckoo filter', () => {
  it('are shown with a key both of whose buckets are full', async () => {
    const model = await create('cuckoo');
    expect(model.findCrowded()).toBeUndefined();
    model.addNames(48, 1);
    const change = model.add(model.findCrowded() as string, 1);
    expect(change && movesOf(change).length).toBeGreaterThan(1);
  });

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
          const change = model.add(key, 1);
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
    const change = { cells: [0], entry: 5, label: 1, before: [1, 2, 0], values: [5, 3, 9] };
    expect(movesOf(change)).toEqual([]);
    const other = { cells: [0], entry: 5, label: 1, before: [4, 0], values: [9, 4] };
    expect(movesOf(other)).toEqual([]);
    expect(movesOf({ ...other, entry: 9 })).toEqual([
      { value: 9, from: undefined, to: 0 },
      { value: 4, from: 0, to: 1 },
    ]);
  });
});
