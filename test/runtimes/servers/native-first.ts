// Evaluates the package, before the conformance program gets tools that Hermes lacks: it must need none of them.

import { BloomFilter } from 'bloomery';

const names = ['ada', 'é', '漢字', '😀'.repeat(100)];
if (!names.every((name) => BloomFilter.from(names).has(name))) throw new Error('a name is missing');
