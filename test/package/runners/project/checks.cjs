// What must work in every runner of tests. `load` requires or imports an entry of the package.

const assert = require('node:assert');
const { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');

// Each entry has declarations for CommonJS.
const entries = readdirSync(join(dirname(require.resolve('bloomery/package.json')), 'dist/cjs'), { recursive: true })
  .filter((name) => name.endsWith('.d.cts'))
  .map((name) => `bloomery/${name.replaceAll('\\', '/').replace(/\.d\.cts$/, '')}`.replace(/\/index$/, ''));

/** Text that takes one to four bytes a character, too long to be hashed at once, with a lone surrogate. */
const long = `${'aé世😀'.repeat(20_000)}\ud800`;
/** The bytes of what a program wrote, of the realm of the test. */
const own = (bytes) => Uint8Array.from(bytes);

module.exports = (it, load) => {
  const { expect } = globalThis;
  // Of Jest and Vitest.
  if (expect?.addEqualityTesters) {
    it('can be told how to compare filters', async () => {
      const { BloomFilter } = await load('bloomery');
      const make = (key) => BloomFilter.from([key]);
      expect.addEqualityTesters([
        (a, b) => (a instanceof BloomFilter && b instanceof BloomFilter ? a.equals(b) : undefined),
      ]);
      expect({ seen: make('a') }).toEqual({ seen: make('a') });
      expect(make('a')).not.toEqual(make('b'));
    });
  }

  it('loads every entry', async () => {
    assert.ok(entries.length > 50);
    for (const entry of entries) assert.ok(Object.keys(await load(entry)).length > 0, entry);
  });

  it('has each class once', async () => {
    const { BloomFilter, FilterFullError, SavedFilterError, load: loadFilter, lines } = await load('bloomery');
    const { CuckooFilter, FilterFullError: sameError } = await load('bloomery/cuckoo');
    const { loadAny } = await load('bloomery/load');
    const { openFilter } = await load('bloomery/open');
    const saved = BloomFilter.from(['a']).toBytes();
    assert.strictEqual(sameError, FilterFullError);
    assert.ok(loadFilter(saved) instanceof BloomFilter && loadAny([BloomFilter], saved) instanceof BloomFilter);
    assert.throws(() => BloomFilter.fromBytes(own([1, 2, 3])), SavedFilterError);
    const source = { size: saved.length, read: async (at, length) => saved.slice(at, at + length) };
    const opened = await openFilter([BloomFilter], source);
    assert.deepStrictEqual([await opened.has('a'), await opened.has('b')], [true, false]);
    assert.ok(CuckooFilter.from(lines(own([97, 10, 98]))).has('b'));
  });

  it('hashes the same on each engine, from text, bytes and arrays of this realm', async () => {
    const wasm = (await load('bloomery')).BloomFilter;
    const js = (await load('bloomery/js')).BloomFilter;
    const { FuseLookup } = await load('bloomery/lookup');
    const { BinaryFuseFilter } = await load('bloomery/fuse');
    const bytes = own(Buffer.from(long));
    const files = [wasm, js].map((Filter) => {
      const filter = new Filter({ capacity: 100, errorRate: 1e-6 });
      for (const key of ['é'.repeat(200), 'a', long, own([1, 2]), 7, -7n]) filter.add(key);
      filter.addMany([`${'é'.repeat(200)}!`, 'a!', `${long}!`]).addMany(new Set(['x', 'y']));
      for (const Numbers of [Uint32Array, Int32Array, BigUint64Array, BigInt64Array]) filter.addMany(new Numbers(3));
      assert.ok(filter.has(bytes) && filter.has(`${long}!`) && filter.has('y') && !filter.has('z'));
      return filter.toBytes();
    });
    assert.strictEqual(Buffer.compare(Buffer.from(files[0]), Buffer.from(files[1])), 0);
    assert.ok(wasm.fromBytes(own(files[0]).buffer).has(bytes));
    const found = FuseLookup.fromBytes(BinaryFuseFilter.from([long, 'b']).toBytes());
    assert.ok(found.has(long) && found.has('b') && !found.has('c'));
  });

  // In jsdom, the user agent is that of a browser.
  it('makes more memory than a page may have at once', async () => {
    const { BloomFilter } = await load('bloomery');
    const filters = Array.from({ length: 6 }, () => new BloomFilter({ bits: 8 * 2 ** 25, hashes: 5 }));
    assert.ok(filters.every((filter) => filter.add('a') && filter.has('a')));
    for (const filter of filters) filter.dispose();
  });

  it('reads, saves and divides files, by URLs of any realm', async () => {
    const { BloomFilter } = await load('bloomery');
    const { saveFile, fileSource } = await load('bloomery/file');
    const { buildParallel } = await load('bloomery/parallel');
    const folder = mkdtempSync(join(tmpdir(), 'bloomery-runner-'));
    try {
      const text = join(folder, 'keys.txt');
      writeFileSync(text, Array.from({ length: 200_000 }, (_, i) => `key ${i}\n`).join(''));
      const { href } = pathToFileURL(text);
      const own = [new URL(href), new URL(`${href}.bloom`)];
      for (const [from, to] of [[pathToFileURL(text), pathToFileURL(`${text}.bloom`)], own]) {
        const built = await buildParallel(BloomFilter, [from], { errorRate: 1e-6, threads: 2 });
        assert.ok(built.has('key 199999') && !built.has('key 200000'));
        await saveFile(built, to);
        assert.ok(BloomFilter.fromBytes(readFileSync(to)).has('key 7'));
        await (await fileSource(to)).close();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
};
