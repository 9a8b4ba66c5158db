// The parts of filters in Redis that need no server.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InFlightLimit } from '../../src/redis/in-flight-limit.ts';
import { Layout, listKeys, partitionFor } from '../../src/redis/layout.ts';
import { checkOf, describeNew, describeWritten, parse, type StoredParameters } from '../../src/redis/parameters.ts';
import { slotOf } from '../../src/redis.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';

describe('slots', () => {
  // From the specification of Redis Cluster, and from CLUSTER KEYSLOT.
  it.each([
    ['123456789', 0x31c3],
    ['', 0],
    ['foo', 12182],
    ['{foo}.bar', 12182],
    ['a{foo}b{bar}', 12182],
    ['foo{}{bar}', 8363],
    ['foo{{bar}}zap', 4015],
    ['grüße', 3194],
  ])('are those of Redis: %s', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});

describe('a layout', () => {
  const bits = fc.integer({ min: 1, max: 2 ** 32 - 1 }).map((blocks) => 256 * blocks);
  const spread = fc.integer({ min: 1, max: 100 });

  it('cuts the whole body into pieces of at most 1 MiB, as large as the spread allows', () => {
    fc.assert(
      fc.property(bits, spread, (bits, spread) => {
        const shape = partitionFor(bits, spread);
        const pieces = Math.ceil(bits / 256 / shape.pieceBlocks);
        const bytes = 32 * shape.pieceBlocks;
        expect(Math.log2(bytes + 32) % 1).toBe(0);
        expect(bytes).toBeLessThan(2 ** 20);
        expect(shape.groups).toBe(Math.min(spread, pieces));
        if (bytes > 4096) expect(pieces).toBeGreaterThanOrEqual(spread);
        if (bytes < 2 ** 19) expect(bits / 8 / (2 * bytes + 32)).toBeLessThan(spread);
      }),
    );
  });

  it('covers each byte once, in order, by keys of their own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 18 }), spread, (blocks, spread) => {
        const layout = new Layout('name', { bits: 256 * blocks, id: 'id', ...partitionFor(256 * blocks, spread) });
        const pieces = [...layout.pieces()];
        let at = 0;
        for (const { offset, byteLength } of pieces) {
          expect(offset).toBe(at);
          at += byteLength;
        }
        expect(at).toBe(32 * blocks);
        expect(pieces).toHaveLength(layout.count);
        expect(new Set(pieces.map(({ key }) => key)).size).toBe(pieces.length);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [3, 21],
    [3, 1256],
    [5, 40],
    [16, 1256],
  ])('gives none of %i masters much more than its share of %i pieces', (masters, pieces) => {
    const layout = new Layout('name', { bits: 256 * pieces, id: 'id', pieceBlocks: 1, groups: 16 });
    const counts = new Array<number>(masters).fill(0);
    for (const { key } of layout.pieces()) {
      const master = Math.floor((slotOf(key) * masters) / 16384);
      counts[master] = (counts[master] ?? 0) + 1;
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual((1.3 * pieces) / masters);
  });
});

describe('what is stored', () => {
  const PARAMETERS = { cellCount: 256 * 5000, hashes: 8, seed: 7, capacity: 100_000, errorRate: 0.01 };

  it('never changes, or filters in use would be lost', () => {
    const edited = { ...describeNew(PARAMETERS, 4), id: '0123456789abcdef', origin: 'fedcba9876543210' };
    const stored: StoredParameters = { ...edited, check: checkOf(edited) };
    expect(JSON.stringify(stored)).toMatchInlineSnapshot(
      `"{"bloomery":1,"kind":"blocked","bits":1280000,"hashes":8,"seed":7,"capacity":100000,"errorRate":0.01,"window":0,"pieceBlocks":1023,"groups":4,"id":"0123456789abcdef","origin":"fedcba9876543210","check":"b05ac677bf659fc4","state":"creating"}"`,
    );
    expect(parse('name', JSON.stringify(stored))).toEqual(stored);
    expect([...new Layout('name', stored).pieces()].map(({ key }) => key)).toMatchInlineSnapshot(`
      [
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:0",
        "name:{67ce95dffc08daeb.0}:0123456789abcdef:1",
        "name:{67ce95dffc08daeb.3}:0123456789abcdef:2",
        "name:{67ce95dffc08daeb.1}:0123456789abcdef:3",
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:4",
      ]
    `);
  });

  it('has an id of its own whenever a filter is made, and an origin that replacements keep', () => {
    const one = describeNew(PARAMETERS, 4);
    const other = describeNew(PARAMETERS, 4);
    const next = describeWritten(PARAMETERS, one, one);
    expect(new Set([one, other, next].map(({ id }) => id)).size).toBe(3);
    expect([one, other, next].map(({ origin }) => origin)).toEqual([one.id, other.id, one.id]);
  });

  it('has tags that begin with the hash of the name', () => {
    const [key = ''] = listKeys('größe', 1);
    const hash = murmur3(bytesOf('größe'), 0)[0].toString(16).padStart(16, '0');
    expect(key).toBe(`größe:{${hash}.0}:filters`);
  });

  it('is found by the name: one tag is the same for all, and no other than those of 16 groups if it divides 16', () => {
    const sixteen = listKeys('name', 16);
    for (const groups of [1, 2, 4, 8]) {
      for (const key of listKeys('name', groups)) expect(sixteen).toContain(key);
    }
    for (let groups = 1; groups <= 1024; groups++) {
      expect(listKeys('name', groups).some((key) => sixteen.includes(key))).toBe(true);
    }
  });
});

describe('calls on their way', () => {
  it('carry a limited number of keys to each master at a time, in the order in which they came', async () => {
    const calls = fc.array(
      fc.record({ master: fc.nat(2), weight: fc.integer({ min: 1, max: 12 }), fails: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(calls, fc.scheduler(), async (calls, scheduler) => {
        const limit = 10;
        const flight = new InFlightLimit(limit);
        const busy = [0, 0, 0];
        const started: number[] = [];
        const tasks = calls.map(({ master, weight, fails }, i) =>
          flight.run(master, weight, async () => {
            started.push(i);
            const other = busy[master] as number;
            busy[master] = other + weight;
            expect(other === 0 || other + weight <= limit).toBe(true);
            await scheduler.schedule(Promise.resolve());
            busy[master] = (busy[master] as number) - weight;
            if (fails) throw new Error('failed');
            return i;
          }),
        );
        const settled = Promise.allSettled(tasks);
        await scheduler.waitFor(settled);
        const states = (await settled).map(({ status }) => status);
        expect(states).toEqual(calls.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        for (const master of [0, 1, 2]) {
          const own = started.filter((i) => calls[i]?.master === master);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
