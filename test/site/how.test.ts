import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseEngine, type Engine } from '../../site/src/engine.ts';
import type { PictureKind } from '../../site/src/how/kind.ts';
import { pictureKinds } from '../../site/src/how/kinds.ts';
import { Model } from '../../site/src/how/model.ts';
import { afterAdd, afterLookUp, afterNames, afterRemove, describe as inWords } from '../../site/src/how/wording.ts';
import * as js from '../../src/entries/js.ts';

const plain: Engine = js;
const kindOf = (name: string): PictureKind => pictureKinds.find((kind) => kind.name === name) as PictureKind;
const create = (name: string): Promise<Model> => Model.create(kindOf(name));

/** Adds a key for which there is room, and returns the message. */
function added(model: Model, key: string, label = 1): string {
  const change = model.add(key, label);
  if (change === undefined) throw new Error(`no room for ${key}`);
  return afterAdd(model, key, change);
}

/** The numbers of keys with which kinds err often enough to be measured. */
const enough: Readonly<Record<string, number>> = { blocked: 120, stable: 300 };

describe('the kinds of the picture', () => {
  it('are the choices of the page', () => {
    const html = readFileSync('site/how.html', 'utf8');
    const choices = [...html.matchAll(/name="kind" value="(\w+)"/g)].map(([, name]) => name);
    expect(choices).toEqual(pictureKinds.map(({ name }) => name));
  });

  it.each(pictureKinds.map((kind) => [kind.name, kind] as const))('have three steps: %s', (_, { steps }) => {
    expect(steps.map(({ sentences }) => sentences.length)).toEqual([3, 3, 3]);
    for (const sentence of steps.flatMap(({ sentences }) => sentences)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

describe.each(pictureKinds.map((kind) => [kind.name, kind] as const))('the model of a filter: %s', (name, kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await chooseEngine();
  });

  it('is the same on both engines', async () => {
    const [one, other] = [
      new Model(kind, engine, await kind.load(engine)),
      new Model(kind, plain, await kind.load(plain)),
    ];
    for (const model of [one, other]) model.addNames(30, 1);
    expect(other.cells).toEqual(one.cells);
    expect(other.measure()).toEqual(one.measure());
  });

  it('errs about as often as the formula says', async () => {
    const model = await create(name);
    expect(model.expectedErrorRate()).toBe(0);
    model.addNames(enough[name] ?? 30, 1);
    const { asked, wrong } = model.measure();
    expect(asked).toBe(10_000);
    expect(wrong / asked / model.expectedErrorRate()).toBeGreaterThan(0.5);
    expect(wrong / asked / model.expectedErrorRate()).toBeLessThan(2);
  });

  it('misses keys only if it forgets', async () => {
    const model = await create(name);
    model.addNames(30, 1);
    expect(model.count).toBe(30);
    expect(model.missed().length > 0).toBe(name === 'stable');
  });

  it('holds a key in cells that are its own', async () => {
    const model = await create(name);
    added(model, 'ada');
    const { cells } = model.placeOf('ada');
    const used = model.cells.flatMap((value, cell) => (value > 0 ? [cell] : []));
    expect(cells).toEqual(expect.arrayContaining(used));
    expect(inWords(model, 'ada')).toContain(`${used.length} ${kind.words.used}.`);
  });

  it('removes what was added, if it removes', async () => {
    const model = await create(name);
    expect(model.remove('ada')).toBeUndefined();
    added(model, 'ada');
    const change = model.remove('ada');
    expect(change !== undefined).toBe(kind.removes);
    expect(model.has('ada')).toBe(!kind.removes);
    expect(model.count).toBe(kind.removes ? 0 : 1);
    if (change) expect(afterRemove(model, 'ada', true, change)).toMatch(/^Removed “ada”: [a-z].*\.$/);
  });

  it('is empty when it starts again', async () => {
    const model = await create(name);
    const [first] = model.addNames(10, 1).names;
    model.clear();
    expect(model.cells.every((value) => value === 0)).toBe(true);
    expect(model.count).toBe(0);
    expect(model.addNames(1, 1).names).toEqual([first]);
  });
});

describe('what the page says', () => {
  it.each([
    ['classic', /^Added “ada”: set bits \d+, \d+, \d+,? and \d+\.$/],
    ['counting', /^Added “ada”: counted up counters \d+, \d+,? and \d+\.$/],
    ['stable', /^Added “ada”: counted down 8 counters in a row, then set counters \d+, \d+,? and \d+ to 3\.$/],
    ['cuckoo', /^Added “ada”: its fingerprint [0-9a-f]{2} is in slot \d+ now\.$/],
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

  it('tells how many fingerprints moved in a cuckoo filter', async () => {
    const model = await create('cuckoo');
    const messages = Array.from({ length: 55 }, (_, i) => {
      const before = model.cells;
      const message = added(model, `key ${i}`);
      const moved = model.cells.filter((value, cell) => before[cell] !== value).length - 1;
      expect(message.includes('To make room')).toBe(moved > 0);
      return message;
    });
    expect(messages.some((message) => /To make room, \d fingerprints? moved\.$/.test(message))).toBe(true);
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

  it.each(['cuckoo', 'dleft'])('says which key a full filter refuses: %s', async (name) => {
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
