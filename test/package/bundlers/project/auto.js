// Chooses the engine. Bundlers put each engine into a file of its own.

import { chooseEngine } from 'bloomery/auto';

chooseEngine().then(({ BloomFilter }) => console.log(BloomFilter.from(['ada']).engine));
