import { BloomFilter, type Key } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { openFilter } from 'bloomery/open';

it('runs what TypeScript compiles', async () => {
  const keys: Key[] = ['a', 'b'];
  const saved = BloomFilter.from(keys).toBytes();
  const opened = await openFilter([BloomFilter, CuckooFilter], {
    size: saved.length,
    read: async (at, length) => saved.slice(at, at + length),
  });
  expect(await opened.has('a')).toBe(true);
});
