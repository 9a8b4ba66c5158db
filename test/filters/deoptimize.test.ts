import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { entryOf, importName, kinds } from '../../tools/entries.ts';

/** How often V8 discards compiled code because an object has a hidden class that the code was not compiled for. */
function wrongMaps(script: string): number {
  const args = ['--trace-deopt', '--input-type=module', '--eval', script];
  const trace = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return trace.split('reason: wrong map').length - 1;
}

const FILTERS = 30;

// Of the tested versions, only Node 20 can fail: later ones give all results of a spread the same hidden class.

const growing = kinds
  .filter(({ name, wraps }) => !name.endsWith('fuse') && !wraps)
  .map((kind): [className: string, entry: string, labels: number] => [
    kind.className,
    entryOf(kind, 'wasm'),
    kind.name === 'spatial' ? 3 : 0,
  ]);

it.each(growing)(
  'many filters share the compiled code for single keys: %s',
  (kind, entry, labels) => {
    const count = wrongMaps(`
      import { ${kind} } from '${importName(entry)}';
      const keys = Array.from({ length: 50_000 }, (_, i) => 'key ' + i);
      const { forgetsAny } = ${kind}.traits;
      for (let i = 0; i < ${FILTERS}; i++) {
        // In an arena, and in an instance of its own.
        for (const capacity of [50_000, 2_000_000]) {
          const filter = new ${kind}({ capacity${labels ? `, labels: ${labels}` : ''} });
          for (const key of keys) filter.add(key${labels ? `, ${labels}` : ''});
          for (const key of keys) if (!filter.has(key) && !forgetsAny) throw new Error('lost');
          filter.dispose();
        }
      }
    `);
    expect(count).toBeLessThan(3);
  },
  60_000,
);

it.each([
  ['BinaryFuseFilter', 'fuse', ''],
  ['ShardedFuseFilter', 'sharded-fuse', ', shards: 2'],
])(
  'many filters share the compiled code for single keys: %s',
  (kind, entry, more) => {
    const count = wrongMaps(`
      import { ${kind} } from '${importName(entry)}';
      const keys = Array.from({ length: 50_000 }, (_, i) => 'key ' + i);
      for (let i = 0; i < ${FILTERS}; i++) {
        for (const fingerprintBits of [8, 20]) {
          const filter = ${kind}.from(keys, { fingerprintBits${more} });
          for (const key of keys) if (!filter.has(key)) throw new Error('lost');
          filter.dispose();
        }
      }
    `);
    expect(count).toBeLessThan(3);
  },
  60_000,
);

it('many filters share the compiled code for single keys: TombstoneFilter', () => {
  const count = wrongMaps(`
    import { BloomFilter } from 'bloomery';
    import { TombstoneFilter } from 'bloomery/tombstone';
    const keys = Array.from({ length: 20_000 }, (_, i) => 'key ' + i);
    for (let i = 0; i < ${FILTERS}; i++) {
      for (const capacity of [50_000, 2_000_000]) {
        const filter = new TombstoneFilter(BloomFilter.from(keys, { capacity }));
        for (const key of keys) if (!filter.remove(key)) throw new Error('lost');
        for (const key of keys) if (filter.has(key)) throw new Error('found');
        for (const key of keys) if (!filter.add(key)) throw new Error('left');
        filter.dispose();
      }
    }
  `);
  expect(count).toBeLessThan(3);
}, 60_000);

it('detects discarded code', () => {
  const count = wrongMaps(`
    const sum = (object) => object.a;
    let all = 0;
    for (const object of [{ a: 1 }, { b: 1, a: 1 }]) for (let i = 0; i < 1e6; i++) all += sum(object);
    if (all !== 2e6) throw new Error();
  `);
  expect(count).toBeGreaterThan(0);
});
