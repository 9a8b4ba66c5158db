import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Engine, Region } from '../../src/kernel/region.ts';
import type { Memory } from '../../src/kernel/scratch.ts';
import { type AnyClass, type AnyFilter, entries, kinds } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { add32, all, type Change, f64, u8, u32, u64 } from './refusal.ts';
import {
  asynchronous,
  cutOrLonger,
  errorOf,
  expectAllRefuse,
  expectRefused,
  filled,
  flippedOnce,
  forge,
  HEADER,
  MIB,
  REFUSED,
  readers,
  splitAt,
} from './saved.ts';

/** A class whose memory reservations are recorded. */
function watch(engine: Engine, Core: AnyClass): { Filter: AnyClass; regions: Region[]; memories: Memory[] } {
  const memories: Memory[] = [];
  const { engine: seen, regions } = watched(engine);
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = seen.reserve(byteLength, grows);
    memories.push(region.instance.memory);
    return region;
  };
  return { Filter: classOn(Core, { ...seen, reserve }), regions, memories };
}

/** What the message says about damage at an offset. */
function saysOf(at: number): RegExp {
  if (at < 4) return /BLMY/;
  // A file with the number of another kind may be refused for its bits per cell.
  return [/version/, /kind|it is a|bits per cell/, /hash|secret/, /bits|body length/][at - 4] ?? REFUSED;
}

/** Wrong values of the fields of a header. */
const fields: readonly (readonly [name: string, put: (at: number, value: number) => Change, at: number, number[]])[] = [
  ['version', u8, 4, [0, 2, 255]],
  ['kind', u8, 5, [0, 4, 255]],
  ['hash', u8, 6, [0, 3, 255]],
  ['bits per cell', u8, 7, [0, 2, 8, 255]],
  ['hashes', u32, 12, [0, 256, 2 ** 31, 2 ** 32 - 1]],
  ['rate without a capacity', f64, 32, [0.01, Number.NaN, -0, Infinity, 5e-324]],
  ['body offset', u32, 40, [0, 63, 65, 128, 2 ** 32 - 1]],
  ['segments', u32, 44, [0, 2, 2 ** 32 - 1]],
];
const longFields: readonly (readonly [name: string, changeOf: (value: bigint) => Change, bigint[]])[] = [
  ['cells', (value) => u64(16, value), [0n, 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]],
  // Numbers that match as doubles, or if truncated to 32 bits.
  ['cells and a matching body length', claim, [0n, 2n ** 53n, 2n ** 64n - 1n]],
  ['capacity', (value) => all(u64(24, value), f64(32, 0.01)), [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]],
  ['capacity without a rate', (value) => u64(24, value), [10n]],
  ['body length', (value) => u64(48, value), [0n, 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n]],
];

/** Headers with wrong fields and a matching checksum. */
const forgeries: readonly [string, (view: DataView, cellBits: number) => void][] = [
  ...fields.flatMap(([name, put, at, values]) =>
    values.map((value): (typeof forgeries)[number] => [`${name}: ${inspect(value)}`, put(at, value)]),
  ),
  ...longFields.flatMap(([name, changeOf, values]) =>
    values.map((value): (typeof forgeries)[number] => [`${name}: ${value}`, changeOf(value)]),
  ),
  ...[0, -0, 1, 1.5, -0.01, Number.NaN, Infinity, -Infinity, -5e-324].map((rate): (typeof forgeries)[number] => [
    `rate with a capacity: ${inspect(rate)}`,
    all(u64(24, 10n), f64(32, rate)),
  ]),
  ['the next kind', add32(4, 256)],
  ['the bits per cell of another kind', (view, cellBits) => view.setUint8(7, cellBits === 1 ? 4 : 1)],
];

/** States `cells` cells and a matching body length. */
function claim(cells: bigint): Change {
  return (view) => {
    view.setBigUint64(16, cells, true);
    view.setBigUint64(48, (cells * BigInt(view.getUint8(7)) + 7n) / 8n, true);
  };
}

describe.each(readers)('bad files: $kind', (reader) => {
  const { engine, Core, blockCells, cellBits, oddCells, load, Filter: Plain } = reader;
  const saved = filled(reader, oddCells, 4).toBytes();

  /** @param only one way of reading, if not all */
  function expectRefusal(file: Uint8Array, where: string, saying?: RegExp, only?: number): void {
    const { Filter, regions } = watch(engine, Core);
    const ways = [
      () => Filter.fromBytes(file),
      () => Filter.fromChunks([file]),
      () => Filter.fromChunks(splitAt(file, [1, 60, 65])),
      () => load(file),
    ];
    expectAllRefuse(only === undefined ? ways : ways.slice(only % 4, (only % 4) + 1), regions, where, saying);
  }

  it('are refused with any single bit flipped', () => {
    let bit = 0;
    for (const { file, where, byte } of flippedOnce(saved)) expectRefusal(file, where, saysOf(byte), bit++);
  });

  it('are refused with any number of bytes cut off, or with bytes added', () => {
    for (const { file, where } of cutOrLonger(saved)) expectRefusal(file, where);
    expectRefused(() => Plain.fromChunks([saved, new Uint8Array(1)]), 'an extra chunk');
  });

  it.each(forgeries)('are refused with %s', (name, change) => {
    expectRefusal(
      forge(saved, (view) => change(view, cellBits)),
      name,
    );
  });

  it('are refused with bits set after the last cell', () => {
    const used = (oddCells * cellBits) % 8;
    for (let bit = used; bit > 0 && bit < 8; bit++) {
      const last = saved.length - 1;
      const file = forge(saved, (view) => view.setUint8(last, view.getUint8(last) | (1 << bit)));
      expectRefusal(file, `bit ${bit}`, /its padding bits are not zero/);
    }
    expect(used > 0).toBe(blockCells === 1);
  });

  it('are harmless with rates and capacities that no real filter has', () => {
    for (const rate of [5e-324, 2 ** -1022, 1 - 2 ** -53]) {
      for (const capacity of [1n, 2n ** 53n - 1n]) {
        const file = forge(saved, (view) => {
          view.setBigUint64(24, capacity, true);
          view.setFloat64(32, rate, true);
        });
        const filter = load(file);
        expect(filter).toMatchObject({ capacity: Number(capacity), errorRate: rate });
        expect(filter.has('key 0')).toBe(true);
        expect(filter.toBytes()).toEqual(file);
      }
    }
  });

  it('cause almost no allocation, whatever size they state', async () => {
    for (const cells of [2n ** 31n, 2n ** 33n, 2n ** 34n - 512n].map((bits) => bits / BigInt(cellBits))) {
      const header = forge(saved.slice(0, HEADER), claim(cells));
      for (const body of [0, 1, MIB + 1]) {
        const chunks = [header, new Uint8Array(body)];
        const { Filter, regions, memories } = watch(engine, Core);
        expectRefused(() => Filter.fromBytes(header), `${cells}`);
        expect(regions).toEqual([]);
        // Refused either as too large for the engine, or as truncated.
        expect(errorOf(() => Filter.fromChunks(chunks))).toBeInstanceOf(RangeError);
        await expect(Filter.fromChunks(asynchronous(chunks))).rejects.toThrow(RangeError);
        // The scratch, and an eighth more than the pieces of 1 MiB so far.
        expect(Math.max(0, ...memories.map(({ buffer }) => buffer.byteLength))).toBeLessThan(2 * MIB + 2 * body);
        expect(regions.every(({ disposed }) => disposed)).toBe(true);
        expect(regions.length).toBe(Number(cells) * cellBits < 8 * engine.maxBytes ? 2 : 0);
      }
    }
  });

  it('cause no allocation of a body, not even a small one, by a header alone', () => {
    const header = forge(saved.slice(0, HEADER), claim(2n ** 23n / BigInt(cellBits)));
    const { Filter, memories } = watch(engine, Core);
    expectRefused(() => Filter.fromChunks([header]), '1 MiB');
    expect(memories.length).toBe(1);
    expect(memories[0]?.buffer.byteLength).toBeLessThan(MIB / 2);
  });

  it('of the wrong type are named', async () => {
    const detached = saved.slice();
    structuredClone(detached, { transfer: [detached.buffer] });
    const wrong = [
      undefined,
      null,
      'BLMY',
      7,
      {},
      new DataView(saved.buffer),
      [...saved],
      new Uint16Array(80),
      detached,
    ];
    for (const value of wrong as Uint8Array[]) {
      // `loadAny` takes chunks as well, and says so.
      expect(errorOf(() => load(value))).toBeInstanceOf(TypeError);
      for (const call of [
        () => Plain.fromBytes(value),
        ...entries.map(
          ({ api }) =>
            () =>
              api.load(value),
        ),
      ]) {
        const error = errorOf(call);
        expect(error).toBeInstanceOf(TypeError);
        expect(error.message).toMatch(/^bytes must be a Uint8Array/);
      }
      expect(errorOf(() => Plain.fromChunks([value])).message).toMatch(/^chunks\[0\] must be a Uint8Array/);
      expect(errorOf(() => Plain.fromChunks([value]))).toBeInstanceOf(TypeError);
      expect(errorOf(() => Plain.fromChunks([saved.subarray(0, 70), value])).message).toMatch(/^chunks\[1\] must be/);
      await expect(Plain.fromChunks(asynchronous([value]))).rejects.toThrow(/^chunks\[0\] must be a Uint8Array/);
    }
    for (const value of [undefined, null, 'BLMY', 7, {}, saved, saved.buffer]) {
      const error = errorOf(() => Plain.fromChunks(value as Iterable<Uint8Array>));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^chunks must be an iterable/);
    }
  });

  it('pass on errors of the source of chunks, and free all memory', async () => {
    const failure = new Error('the disk is gone');
    function* failing(): Generator<Uint8Array, void, undefined> {
      yield saved.subarray(0, 70);
      throw failure;
    }
    const { Filter, regions } = watch(engine, Core);
    expect(errorOf(() => Filter.fromChunks(failing()))).toBe(failure);
    await expect(Filter.fromChunks(asynchronous(failing()))).rejects.toBe(failure);
    expect(regions.map(({ disposed }) => disposed)).toEqual([true, true]);
  });

  it('close the source of chunks', async () => {
    const damaged = forge(saved, (view) => view.setUint8(4, 9));
    let closed = 0;
    function* chunks(): Generator<Uint8Array, void, undefined> {
      try {
        yield damaged;
        throw new Error('read on');
      } finally {
        closed++;
      }
    }
    expectRefused(() => Plain.fromChunks(chunks()), 'version');
    await expect(Plain.fromChunks(asynchronous(chunks()))).rejects.toThrow(REFUSED);
    expect(closed).toBe(2);
  });

  it.each(kinds.filter((each) => each.id !== reader.id))(
    'with the number of kind $id are refused by the class',
    ({ id }) => {
      const file = forge(saved, (view) => view.setUint8(5, id));
      for (const call of [() => Plain.fromBytes(file), () => Plain.fromChunks([file])]) {
        expectRefused(call, `kind ${id}`, /: it is a [\w-]+ filter, and not a [\w-]+ one$/);
      }
    },
  );

  it('leave zeroed memory for the next filter', () => {
    const file = saved.slice();
    file[56] = (file[56] ?? 0) ^ 1;
    for (let i = 0; i < 10; i++) {
      expectRefused(() => Plain.fromBytes(file), 'checksum', /checksum/);
      using filter: AnyFilter = filled(reader, oddCells, 0);
      expect(filter.fillRatio()).toBe(0);
    }
  });
});
