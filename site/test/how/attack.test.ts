import { describe, expect, it } from 'vitest';
import type * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { classicBytes, indicesOf } from '../../../test/shared/oracle.ts';
import { actionsIn, describeAdded, describeAsked, MOST_ACTIONS, Target } from '../../src/how/models/attack.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const secret = Uint8Array.from({ length: 16 }, (_, i) => 16 - i);
const honest = Array.from({ length: 60 }, (_, i) => nameAt(i));

function packed(bits: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(bits.length / 8);
  bits.forEach((bit, at) => {
    bytes[at >> 3] = (bytes[at >> 3] as number) | (bit << (at & 7));
  });
  return bytes;
}

describe('the step about strangers', () => {
  it('begins with the same ordinary keys in both filters', async () => {
    const target = await Target.create(engine, secret);
    expect(packed(target.bits.open)).toEqual(classicBytes(honest, 1024, 7, 0));
    expect(target.keys).toBe(60);
    expect(target.bits.keyed).not.toEqual(target.bits.open);
    expect(target.ask(honest)).toEqual({ open: 60, keyed: 60 });
    expect(target.expected).toBe(10_000 * wasm.expectedErrorRate(60, 1024, 7));
  });

  it('forges keys that nobody added, which only the open filter lets through', async () => {
    const target = await Target.create(engine, secret);
    const forged = target.forge();
    expect(forged.keys).toHaveLength(50);
    expect(forged.tried).toBeGreaterThan(1000);
    const set = new Set(honest.flatMap((key) => indicesOf(key, 1024, 7, 0)));
    for (const key of forged.keys) {
      expect(honest).not.toContain(key);
      expect(indicesOf(key, 1024, 7, 0).every((index) => set.has(index))).toBe(true);
    }
    const asked = target.ask(forged.keys);
    expect(asked.open).toBe(50);
    expect(asked.keyed).toBeLessThan(5);
    expect(describeAsked(forged, asked)).toMatch(/ lets 50 of 50 through, the keyed one \d\.$/);
    expect(describeAsked({ keys: [], tried: 9 }, asked)).toMatch(/^None of 9 names /);
  });

  it('chooses keys all of whose bits were 0 in the open filter', async () => {
    const target = await Target.create(engine, secret);
    const before = target.bits.open.filter((bit) => bit === 1).length;
    const fill = target.fill;
    expect(target.act('c')).toBe(20);
    expect(target.bits.open.filter((bit) => bit === 1)).toHaveLength(before + 140);
    expect(target.fill.keyed - fill.keyed).toBeLessThan(140 / 1024);
    target.act('c');
    expect(target.wrong.open).toBeGreaterThan(2 * target.expected);
    expect(target.wrong.keyed / target.expected).toBeGreaterThan(0.5);
    expect(target.wrong.keyed / target.expected).toBeLessThan(2);
    expect(describeAdded('c', 20, target.fill, target.wrong)).toMatch(
      /^Added 20 keys, each chosen so .* Now 60\.6 % of the bits are set in the open filter and 48.4 % in the /,
    );
  });

  it('says so when no more keys can be chosen', async () => {
    const target = await Target.create(engine, secret);
    const added = Array.from({ length: MOST_ACTIONS }, () => target.act('c'));
    expect(added.at(-1)).toBe(0);
    expect(describeAdded('c', 0, target.fill, target.wrong)).toMatch(/^No more keys can be chosen/);
    const { keys } = target.forge();
    expect(absentNames).not.toEqual(expect.arrayContaining(keys.slice(0, 1)));
  });

  it('has another secret each time', async () => {
    const [one, other] = [await Target.create(engine), await Target.create(engine)];
    expect(other.bits.open).toEqual(one.bits.open);
    expect(other.bits.keyed).not.toEqual(one.bits.keyed);
  });

  it('reads any address', () => {
    expect(actionsIn(null)).toEqual([]);
    expect(actionsIn('ocxé1c')).toEqual(['o', 'c', 'c']);
    expect(actionsIn('o'.repeat(1e5))).toHaveLength(MOST_ACTIONS);
  });
});
