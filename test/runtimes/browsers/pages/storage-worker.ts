import { BloomFilter } from 'bloomery';
import { answer } from './runner.ts';

answer((bytes: Uint8Array) => {
  const filter = BloomFilter.fromBytes(bytes);
  filter.add('alan');
  return filter.toBytes();
});
