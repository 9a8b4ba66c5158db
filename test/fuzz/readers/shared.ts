// Filters that threads share: loaded from files, and attached to by handles that another thread may have sent.

import { SharedBlockedBloomFilter, SharedBloomFilter, type SharedHandle } from '../../../src/entries/shared.ts';
import { BlockedBloomFilter, BloomFilter, type Filter } from '../../../src/index.ts';
import { anything, EDGES } from '../damage/bytes.ts';
import { areSame, attempt, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';
import { check, damagedFile, isRefusal } from './files.ts';

/** A class of filters that threads share, and that of the same filters for one thread. */
interface Pair {
  readonly Shared: {
    readonly name: string;
    attach(handle: SharedHandle): Filter;
    fromBytes(bytes: Uint8Array, options: { attachments: number }): Filter;
  };
  readonly Plain: { fromBytes(bytes: Uint8Array): Filter };
}

const classes: readonly [Pair, Pair] = [
  { Shared: SharedBloomFilter, Plain: BloomFilter },
  { Shared: SharedBlockedBloomFilter, Plain: BlockedBloomFilter },
];

const saved = [
  new BloomFilter({ bits: 83, hashes: 3 }).addMany(['a']).toBytes(),
  new BlockedBloomFilter({ capacity: 20, errorRate: 0.01 }).addMany(['b']).toBytes(),
];

/** Filters that are never disposed of, so that their handles stay good. */
const owners = [
  new SharedBloomFilter({ bits: 1e6, hashes: 3, attachments: 2 }).addMany(['a']),
  new SharedBlockedBloomFilter({ capacity: 1000, errorRate: 0.01, attachments: 2 }).addMany(['b']),
] as const;

const memories: readonly unknown[] = [
  ...owners.map(({ handle }) => handle.memory),
  new WebAssembly.Memory({ initial: 7, maximum: 7, shared: true }),
  new WebAssembly.Memory({ initial: 7 }),
  new SharedArrayBuffer(1000),
];

const OTHERS = [undefined, '3', 'blocked', Number.NaN, ...EDGES];

function damagedHandle({ kind, memory, parameters, attachments }: SharedHandle, random: Random): unknown {
  const handle: Record<string, unknown> = { kind, memory, attachments };
  const copy: Record<string, unknown> = { ...parameters };
  const damages = [
    () => (handle['kind'] = pick<unknown>(random, ['classic', 'blocked', anything(random, OTHERS)])),
    () => (handle['memory'] = pick(random, [...memories, anything(random, OTHERS)])),
    () => (handle['attachments'] = anything(random, OTHERS)),
    // As many cells as fit the pages of the memory.
    () => (copy['cellCount'] = parameters.cellCount + random(600) - 300),
    ...Array(4).fill(() => (copy[pick(random, Object.keys(parameters))] = anything(random, OTHERS))),
  ];
  for (let times = random(3); times > 0; times--) pick(random, damages)();
  handle['parameters'] = random(40) === 0 ? anything(random, OTHERS) : copy;
  return random(100) === 0 ? anything(random, OTHERS) : handle;
}

const isTypeError = (error: unknown): boolean => error instanceof TypeError && /^handle must be/.test(error.message);

const handles: Reader = {
  name: 'handle of a shared filter',
  share: 5000,
  run(subject): Outcome {
    const { random } = subject;
    const which = random(2);
    const { Shared, Plain } = pick(random, [classes[which] ?? classes[0], classes[random(2)] ?? classes[0]]);
    const handle = damagedHandle((owners[which] ?? owners[0]).handle, random);
    subject.input = JSON.stringify([Shared.name, handle], (_, each: unknown) =>
      typeof each === 'bigint' || typeof each === 'number' ? String(each) : each,
    );
    using filter = attempt(() => Shared.attach(handle as SharedHandle), isTypeError);
    if (filter === undefined) return 'refused';
    filter.has('a');
    require(filter.hasMany(['a', 'b']).length === 2, 'there is an answer for each key');
    const bytes = filter.toBytes();
    using copy = Plain.fromBytes(bytes);
    require(areSame(copy.toBytes(), bytes), 'a filter is saved as one that loads again');
    return 'read';
  },
};

const sharedFiles: Reader = {
  name: 'file of a shared filter',
  share: 5000,
  run(subject): Outcome {
    const { random } = subject;
    const file = damagedFile(random, saved);
    subject.input = file;
    const { Shared } = pick(random, classes);
    const filter = attempt(() => Shared.fromBytes(file, { attachments: 1 }), isRefusal);
    if (filter === undefined) return 'refused';
    check(filter, file);
    return 'read';
  },
};

export const sharedReaders: readonly Reader[] = [handles, sharedFiles];
