// The parts of filters in Redis that need no server. Slots, how they are spread, and that pieces cover a filter are in
// test/fuzz/readers/redis.ts.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slotOf } from '../../src/entries/redis.ts';
import { RedisFilterError } from '../../src/redis/error.ts';
import { engine, readKeys } from '../../src/redis/hashes.ts';
import { InFlightLimit } from '../../src/redis/in-flight-limit.ts';
import { listKeys, partitionFor } from '../../src/redis/layout.ts';
import { forAll } from '../../src/redis/pieces.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { gate } from './intercept.ts';

describe('a layout', () => {
  const spread = fc.integer({ min: 1, max: 100 });

  it('cuts the whole body into pieces of at most 1 MiB, as large as the spread allows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 - 1 }), spread, (blocks, spread) => {
        const shape = partitionFor(256 * blocks, spread);
        const pieces = Math.ceil(blocks / shape.pieceBlocks);
        const bytes = 32 * shape.pieceBlocks;
        expect(Math.log2(bytes + 32) % 1).toBe(0);
        expect(bytes).toBeLessThan(2 ** 20);
        expect(shape.groups).toBe(Math.min(spread, pieces));
        if (bytes > 4096) expect(pieces).toBeGreaterThanOrEqual(spread);
        if (bytes < 2 ** 19) expect((32 * blocks) / (2 * bytes + 32)).toBeLessThan(spread);
      }),
    );
    // Exactly as many pieces as slots.
    expect(partitionFor(256 * 255 * 16, 16)).toEqual({ pieceBlocks: 255, groups: 16 });
    expect(partitionFor(256 * (255 * 16 - 1), 16)).toEqual({ pieceBlocks: 127, groups: 16 });
  });

  it('has lists that are found by the name: in two slots on different masters, besides its own', () => {
    const [key = ''] = listKeys('größe', 1);
    const hash = murmur3(bytesOf('größe'), 0)[0].toString(16).padStart(16, '0');
    expect(key).toBe(`größe:{${hash}.0}:filters`);
    const sixteen = listKeys('name', 16);
    expect(sixteen).toHaveLength(16);
    expect(Math.abs(slotOf(sixteen[0] as string) - slotOf(sixteen[1] as string))).toBeGreaterThan(16384 / 3);
    for (const groups of [1, 2, 4, 8]) expect(sixteen).toEqual(expect.arrayContaining(listKeys('name', groups)));
    for (const groups of [...Array(40).keys(), 99, 1024].slice(1)) {
      expect(listKeys('name', groups)).toEqual(expect.arrayContaining(sixteen.slice(0, 2)));
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
      { numRuns: 50 },
    );
  });

  it('start at once if they just fit', () => {
    const flight = new InFlightLimit(10);
    let started = 0;
    for (const weight of [6, 4, 1]) {
      flight.run('master', weight, () => {
        started++;
        return new Promise(() => {});
      });
    }
    expect(started).toBe(2);
  });

  const timeout = (cause?: Error) => new RedisFilterError('TIMEOUT', 'not done', { cause });
  it.each([
    ['the connection failed', new RedisFilterError('CONNECTION', 'closed'), true],
    ['there was no answer', timeout(), true],
    ['there was none, and the network failed', timeout(new Error('connect ECONNREFUSED')), true],
    ['the answer was to try again', timeout(new Error('TRYAGAIN later')), false],
    ['there is no memory', new RedisFilterError('OOM', 'OOM'), false],
  ])('fail with the one before them, if its master does not answer: %s', async (_, error, isFatal) => {
    const flight = new InFlightLimit(1);
    const first = flight.run('master', 1, () => Promise.reject(error));
    const next = flight.run('master', 1, async () => 'sent');
    await expect(first).rejects.toBe(error);
    if (isFatal) await expect(next).rejects.toBe(error);
    else expect(await next).toBe('sent');
    expect(await flight.run('master', 1, async () => 'later')).toBe('later');
  });
});

it('pieces are visited sixteen at a time; after a failure no more, and those that run are waited for', async () => {
  const { passed, open } = gate();
  let [started, ended] = [0, 0];
  const visiting = forAll(Array(100).keys(), async (i) => {
    started++;
    if (i === 15) {
      open();
      throw new Error('refused');
    }
    await passed;
    await new Promise((done) => setImmediate(done));
    ended++;
  });
  await expect(visiting).rejects.toThrow('refused');
  expect([started, ended]).toEqual([16, 15]);
});

describe('the keys of a call', () => {
  /** The keys of a part. */
  const PART = 32_768;
  const HASH = { engine, seed: 7 };

  it('are kept until their answers are known, up to a wrong one, though other calls use the same memory', () => {
    const keys = Array.from({ length: PART + 1000 }, (_, i) => Buffer.from(`käse ${i}`));
    const buffer = Buffer.alloc(20);
    function* reusing(): Generator<Uint8Array | number> {
      for (const key of keys) yield buffer.subarray(0, key.copy(buffer));
      yield 1.5;
    }
    const reader = readKeys(reusing(), HASH, true);
    const keepAll = (): void => {
      for (const part of reader.parts()) {
        for (const _ of readKeys(['another', 'call'], HASH).parts());
        reader.keep(new Uint8Array(part.length / 2).fill(1), 1);
      }
    };
    expect(keepAll).toThrow(new RegExp(`^keys\\[${keys.length}\\] must be a safe integer`));
    // Without the difference, which takes minutes to print.
    expect(
      isDeepStrictEqual(
        reader.source.kept(),
        keys.map((key) => Uint8Array.from(key)),
      ),
    ).toBe(true);
  });

  it('are read no further than the part that is sent, and their iterator is closed if the call fails', () => {
    let reads = 0;
    let isClosed = false;
    function* endless(): Generator<number> {
      try {
        for (;;) yield reads++;
      } finally {
        isClosed = true;
      }
    }
    for (const part of readKeys(endless(), HASH).parts()) {
      expect(part.length / 2).toBeGreaterThanOrEqual(PART);
      // At most as many keys more as are read ahead.
      expect(reads).toBeLessThan(PART + 2 * 768);
      break;
    }
    expect(isClosed).toBe(true);
  });
});
