// The parts of filters in Redis that need no server. Slots, how they are spread, that pieces cover a filter, and parameters
// that no filter can have are in test/fuzz/readers/redis.ts.

import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisAdapter, slotOf } from '../../src/entries/redis.ts';
import { planCalls } from '../../src/redis/calls.ts';
import { watchErrors } from '../../src/redis/clients/adapter.ts';
import { Coalescer } from '../../src/redis/coalesce.ts';
import { RedisFilterError } from '../../src/redis/error.ts';
import { Events } from '../../src/redis/events.ts';
import { Generation } from '../../src/redis/generations.ts';
import { engine, readKeys } from '../../src/redis/hashes.ts';
import { InFlightLimit } from '../../src/redis/in-flight-limit.ts';
import { namedKey, patternOf } from '../../src/redis/key-names.ts';
import { Layout, listKeys, partitionFor } from '../../src/redis/layout.ts';
import { mastersOf } from '../../src/redis/masters.ts';
import {
  checkOf,
  describeNew,
  describeWritten,
  finished,
  parse,
  type StoredParameters,
} from '../../src/redis/parameters.ts';
import { forAll, Pieces } from '../../src/redis/pieces.ts';
import { ScriptRunner } from '../../src/redis/run-script.ts';
import { READ } from '../../src/redis/scripts.ts';
import type { Sender } from '../../src/redis/send.ts';
import type { BatchSettings } from '../../src/redis/settings.ts';
import { sizesOf } from '../../src/redis/sizes.ts';
import { errorOf } from '../format/saved.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { gate } from './intercept.ts';

/** Runs scripts on a server that is stood in for. */
function runnerOf(
  send: RedisAdapter['send'],
  cluster = false,
  master: (key: string) => unknown = () => 0,
): ScriptRunner {
  const adapter = { cluster, isClosed: () => false, master, send };
  const settings = { timeout: 1000, slowAfter: 1000 } as BatchSettings;
  return new ScriptRunner(adapter, settings, new Events('x', adapter, undefined));
}

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

  it('gives each key the block that its hash names, also where the product of both is no exact number', () => {
    // These products are one less than multiples of 2^32.
    for (const [high, blocks] of [
      [3_818_214_741, 2 ** 22 + 3],
      [0x9e3779b1, 0xf174d0af],
    ] as const) {
      const [call] = planCalls(Uint32Array.of(0, high), { blocks, pieceBlocks: 1, groups: 1 } as Layout, false, 1);
      expect(call?.pieces).toEqual([Number((BigInt(high) * BigInt(blocks)) >> 32n)]);
    }
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

it('keys are known by their names, whatever these are', () => {
  for (const name of ['a\nb', 'c\\*[d]']) {
    expect(namedKey(listKeys(name, 1)[0] ?? '')).toEqual({ name, part: 'list' });
    const generation = new Generation(name, stored, 7);
    expect(namedKey(generation.key(0))).toEqual({ name, part: 'piece', id: stored.id });
  }
  expect(patternOf('a\\*?[b]')).toBe('a\\\\\\*\\?\\[b\\]:{*');
  // As CLUSTER KEYSLOT says: an empty tag is none.
  expect(slotOf('foo{}{bar}')).toBe(8363);
  expect(slotOf('}{bar}')).toBe(slotOf('bar'));
});

it('keys are measured by the hundred', async () => {
  const keys = Array.from({ length: 250 }, (_, i) => `x${i}`);
  const runner = runnerOf(async (_, [, , count, ...some]) =>
    some.slice(0, Number(count)).flatMap((key) => [Number(String(key).slice(1)), 7]),
  );
  expect((await sizesOf(runner, keys)).map(({ key, memory }) => [key, memory])).toEqual(keys.map((key, i) => [key, i]));
});

it('pieces are looked for by the thousand', async () => {
  const layout = new Layout('x', describeNew({ ...PARAMETERS, cellCount: 2 ** 23 * 2500 }, 1));
  const counts: number[] = [];
  const runner = runnerOf(async (_, [, , count]) => counts[counts.push(Number(count)) - 1]);
  expect(await new Pieces('x', runner).areThere(layout)).toBe(true);
  expect(counts).toEqual([1000, 1000, layout.count - 2000]);
});

describe('calls on their way', () => {
  it('carry a limited number of keys to each master at a time, in the order in which they came', async () => {
    const call = fc.record({ master: fc.nat(2), weight: fc.integer({ min: 1, max: 12 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(call), fc.scheduler(), async (calls, scheduler) => {
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

it('a master holds the keys of all slots of its ranges, the first and the last ones too', async () => {
  const slot = slotOf('x');
  const ranges = [0, slot - 1, 'a', 1, 'one', slot, slot, 'b', 2, 'other', slot + 1, 16383, 'a', 1, 'one'].map(String);
  const runner = runnerOf(async () => ranges, true);
  const masters = await mastersOf(runner, 'name');
  expect(masters.map(({ address, holds }) => [address, holds('x')])).toEqual([
    ['a:1', false],
    ['b:2', true],
  ]);
});

it('one master that answers tells of all, though another one has refused before', async () => {
  const isOne = (key: string): boolean => slotOf(key) < 8192;
  const send = async (key: string): Promise<unknown> => {
    if (isOne(key)) throw new Error('NOPERM');
    await new Promise((done) => setImmediate(done));
    return ['0', '16383', 'a', '1', 'one'];
  };
  const masters = await mastersOf(runnerOf(send, true, isOne), 'name');
  expect(masters.map(({ address }) => address)).toEqual(['a:1']);
  const refused = async (): Promise<never> => Promise.reject(new Error('NOPERM'));
  await expect(mastersOf(runnerOf(refused, true), 'name')).rejects.toThrow('NOPERM');
});

it('a client gets a listener for each of its events once, however many filters use it', () => {
  const client = new EventEmitter().on('error', () => {});
  for (let i = 0; i < 3; i++) watchErrors(client, () => false);
  expect(['error', 'node-error', 'node error'].map((event) => client.listenerCount(event))).toEqual([2, 1, 1]);
  vi.spyOn(Date, 'now').mockReturnValue(7);
  client.emit('error', 'refused');
  expect([7, 8].map(watchErrors(client, () => false))).toEqual(['refused', undefined]);
});

it('single calls that are sent together fail together, and later ones are sent', async () => {
  const failures = [new Error('refused'), new Error('refused again')];
  const send = async (): Promise<unknown> => {
    const [failure] = failures.splice(0, 1);
    if (failure) throw failure;
    return { failureOf: () => undefined, flags: [1] };
  };
  const calls = new Coalescer({ send } as object as Sender, 'has', { engine, seed: 0 });
  const all = await Promise.allSettled(['a', 'b', 'c'].map((key) => calls.ask(key)));
  expect(all.map((each) => String((each as PromiseRejectedResult).reason))).toEqual([
    'Error: refused',
    'Error: refused again',
    'Error: refused again',
  ]);
  expect(await calls.ask('d')).toBe(true);
});

it('a command that is answered leaves no timer, which would keep the process from ending', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  expect(await runnerOf(async () => 'here').run(READ, ['x'], [])).toBe('here');
  expect(vi.getTimerCount()).toBe(0);
});

it('a wait for replicas may take its own time besides that of a command', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const runner = runnerOf(async () => null);
  Object.assign(runner.adapter, { wait: () => new Promise((done) => setTimeout(done, 1500, 1)) });
  // The longest one, too.
  for (const ms of [1000, 2 ** 31 - 1]) {
    const waiting = runner.wait('x', { replicas: 1, ms });
    await Promise.all([expect(waiting).resolves.toBe(1), vi.advanceTimersByTimeAsync(1500)]);
  }
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
    const expected = keys.map((key) => Uint8Array.from(key));
    // Without the difference, which takes minutes to print.
    expect(isDeepStrictEqual(reader.source.kept(), expected)).toBe(true);
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

const SECRET = 2 ** 32 + 7;
const PARAMETERS = { cellCount: 2560, hashes: 8, seed: 3, capacity: 200, errorRate: 0.01 };
const stored = describeNew(PARAMETERS, 16);

function codeOf(text: string): string {
  const error = errorOf(() => parse('seen', text));
  expect(error).toBeInstanceOf(RedisFilterError);
  return (error as RedisFilterError).code;
}

const changed = (changes: object): string => JSON.stringify({ ...stored, ...changes });

/** The text of parameters with some changed, whose check matches. */
function forged(changes: object): string {
  const value = { ...stored, ...changes };
  return JSON.stringify({ ...value, check: checkOf(value as StoredParameters) });
}

describe('parameters in Redis', () => {
  it('never change, or filters in use would be lost', () => {
    const edited = {
      ...describeNew({ ...PARAMETERS, cellCount: 256 * 5000, seed: 7, capacity: 100_000 }, 4),
      ...{ id: '0123456789abcdef', origin: 'fedcba9876543210' },
    };
    const text = JSON.stringify({ ...edited, check: checkOf(edited) });
    expect(text).toMatchInlineSnapshot(
      `"{"bloomery":1,"kind":"blocked","bits":1280000,"hashes":8,"seed":7,"capacity":100000,"errorRate":0.01,"window":0,"pieceBlocks":1023,"groups":4,"id":"0123456789abcdef","origin":"fedcba9876543210","check":"b05ac677bf659fc4","state":"creating"}"`,
    );
    expect([...new Layout('name', parse('name', text)).pieces()].map(({ key }) => key)).toMatchInlineSnapshot(`
      [
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:0",
        "name:{67ce95dffc08daeb.0}:0123456789abcdef:1",
        "name:{67ce95dffc08daeb.3}:0123456789abcdef:2",
        "name:{67ce95dffc08daeb.1}:0123456789abcdef:3",
        "name:{67ce95dffc08daeb.2}:0123456789abcdef:4",
      ]
    `);
  });

  it('are read as they were written', () => {
    expect(parse('seen', JSON.stringify(stored))).toEqual(stored);
    expect(parse('seen', JSON.stringify(finished(stored)))).toEqual({ ...stored, state: 'ready' });
    for (const changes of [
      { state: 'ready', window: 2 ** 45 },
      { bloomery: 2, seed: SECRET },
      { seed: 2 ** 32 - 1 },
      { bloomery: 2, seed: 2 ** 33 - 1 },
      { capacity: 0, errorRate: 0 },
      { groups: 1024, pieceBlocks: 32_768 },
      { origin: '0123456789abcdef' },
    ]) {
      expect(parse('seen', forged(changes))).toMatchObject(changes);
    }
  });

  it('have an id of their own whenever a filter is made, and an origin that replacements keep', () => {
    const other = describeNew(PARAMETERS, 16);
    const next = describeWritten(PARAMETERS, stored, stored);
    expect(parse('seen', JSON.stringify(next))).toEqual(next);
    expect(new Set([stored, other, next].map(({ id }) => id)).size).toBe(3);
    expect([stored, other, next].map(({ origin }) => origin)).toEqual([stored.id, other.id, stored.id]);
  });

  it.each([
    ...[{ seed: 8 }, { groups: 17 }, { origin: '0123456789abcdef' }, { window: 1 }, { check: 'x' }].map(changed),
    // In another spelling, no client could replace them.
    JSON.stringify(stored, null, 1),
  ])('are damaged if they are not the text that was written: %s', (text) => expect(codeOf(text)).toBe('DAMAGED'));

  it('are refused as nested as they may be', () => {
    const deep = '['.repeat(1e5) + ']'.repeat(1e5);
    expect(codeOf(deep)).toBe('FOREIGN');
    expect(codeOf(`{"bloomery":${deep}}`)).toBe('VERSION');
    expect(codeOf(changed({}).replace('"capacity":200', `"capacity":${deep}`))).toBe('DAMAGED');
    expect(codeOf(changed({}).replace(/\}$/, `,"more":${deep}}`))).toBe('DAMAGED');
  });

  it.each([{ bloomery: { toString: 1 } }, { bloomery: 3 }, { kind: { toString: null, valueOf: 1 } }, { kind: 'wide' }])(
    'of another version or kind are named as such: %j',
    (changes) => expect(codeOf(changed(changes))).toBe('VERSION'),
  );
});
