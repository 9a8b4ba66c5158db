// The pages that are looked at and weighed: those of the navigation, and a few of the documentation.

import { pages as main } from '../tools/pages.ts';

const documents = [
  'docs/redis.html',
  'docs/performance.html',
  'docs/api/bloomery.html',
  'docs/api/bloomery/classes/CountingBloomFilter.html',
];

export const pages: readonly { readonly file: string }[] = [...main, ...documents.map((file) => ({ file }))];
