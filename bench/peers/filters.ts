// Filters of other packages, each created for a number of keys and an error rate in its own way. They are loaded by
// name when they are measured, because the project's own checks must not need them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BloomFilter as Bloomfilter } from 'bloomfilter';
import type { Batch } from '../shared/keys.ts';
import { type OwnLoops, ownLoops } from '../shared/own-loops.ts';
import { ERROR_RATE, type Filled, type Subject } from '../shared/subjects.ts';

const require = createRequire(import.meta.url);

/** How to use the filter of a package. */
interface Adapter<F> {
  readonly loops: OwnLoops<string, F>;
  create(capacity: number): F;
  bytes(filter: F): number;
  dispose?(filter: F): void;
}

function subjectOf<F>(packageName: string, { loops, create, bytes, dispose }: Adapter<F>): Subject {
  // The version, read by path, because not every package exports its package.json.
  const file = new URL(`../node_modules/${packageName}/package.json`, import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    name: `${packageName} ${version}`,
    mode: 'single',
    ours: false,
    build({ count, each }: Batch): Filled {
      const filter = create(count);
      loops.addEach(filter, each() as ArrayLike<string>);
      return {
        find: (keys) => loops.hasEach(filter, keys.each() as ArrayLike<string>),
        bytes: () => bytes(filter),
        expectedErrorRate: ERROR_RATE,
        dispose: () => dispose?.(filter),
      };
    },
  };
}

async function bloomfilter(): Promise<Subject> {
  const { BloomFilter } = await import('bloomfilter');
  return subjectOf<Bloomfilter>('bloomfilter', {
    loops: ownLoops('bloomfilter', 'test'),
    create: (capacity) => BloomFilter.withTargetError(capacity, ERROR_RATE),
    bytes: ({ buckets }) => buckets.byteLength,
  });
}

function bloomFilters(): Subject {
  interface Filter {
    readonly size: number;
    add(key: string): void;
    has(key: string): boolean;
  }
  const name = 'bloom-filters';
  const { BloomFilter }: { BloomFilter: { create(n: number, rate: number): Filter } } = require(name);
  return subjectOf<Filter>(name, {
    loops: ownLoops(name),
    create: (capacity) => BloomFilter.create(capacity, ERROR_RATE),
    bytes: ({ size }) => Math.ceil(size / 8),
  });
}

function mnemonist(): Subject {
  interface Filter {
    readonly data: Uint8Array;
    add(key: string): void;
    test(key: string): boolean;
  }
  const name = 'mnemonist';
  const BloomFilter: new (options: { capacity: number; errorRate: number }) => Filter = require(
    `${name}/bloom-filter.js`,
  );
  return subjectOf<Filter>(name, {
    loops: ownLoops(name, 'test'),
    create: (capacity) => new BloomFilter({ capacity, errorRate: ERROR_RATE }),
    bytes: ({ data }) => data.byteLength,
  });
}

function ceramic(): Subject {
  interface Filter {
    add(key: string): boolean;
    contains(key: string): boolean;
    toString(): string;
    free(): void;
  }
  const name = '@ceramicnetwork/wasm-bloom-filter';
  const { BloomFilter }: { BloomFilter: new (rate: number, n: number) => Filter } = require(name);
  /** The filter does not report its size, but its text lists the bytes of its bits, in nested lists named b. */
  const countBytes = (value: unknown): number => {
    if (Array.isArray(value)) {
      return typeof value[0] === 'number'
        ? value.length
        : value.reduce((sum: number, each) => sum + countBytes(each), 0);
    }
    return typeof value === 'object' && value !== null && 'b' in value ? countBytes(value.b) : 0;
  };
  return subjectOf<Filter>(name, {
    loops: ownLoops(name, 'contains'),
    create: (capacity) => new BloomFilter(ERROR_RATE, capacity),
    bytes: (filter) => countBytes(JSON.parse(filter.toString())),
    dispose: (filter) => filter.free(),
  });
}

async function intrnl(): Promise<Subject> {
  interface Filter {
    readonly filter: { readonly array: Uint8Array };
  }
  interface Functions {
    getOptimalSize(n: number, rate: number): { size: number; hashes: number };
    create(size: number, hashes: number): Filter;
    add(filter: Filter, key: string): void;
    has(filter: Filter, key: string): boolean;
  }
  const name: string = '@intrnl/bloom-filter';
  const { BloomFilter }: { BloomFilter: Functions } = await import(name);
  return subjectOf<Filter>(name, {
    // The package has functions, not methods.
    loops: {
      addEach(filter, keys) {
        for (let i = 0; i < keys.length; i++) BloomFilter.add(filter, keys[i] as string);
        return keys.length;
      },
      hasEach(filter, keys) {
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (BloomFilter.has(filter, keys[i] as string)) found++;
        return found;
      },
    },
    create(capacity) {
      const { size, hashes } = BloomFilter.getOptimalSize(capacity, ERROR_RATE);
      return BloomFilter.create(size, hashes);
    },
    bytes: ({ filter }) => filter.array.byteLength,
  });
}

/** The peers by package name. Each function returns its subject, or throws where the package cannot run. */
export const peers: Readonly<Record<string, () => Subject | Promise<Subject>>> = {
  bloomfilter,
  'bloom-filters': bloomFilters,
  mnemonist,
  '@ceramicnetwork/wasm-bloom-filter': ceramic,
  '@intrnl/bloom-filter': intrnl,
};
