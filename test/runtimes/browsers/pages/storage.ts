// Filters that move: to a Worker, to a database.

import { BloomFilter, load } from 'bloomery';
import { holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { askWorker, report } from './runner.ts';

const promised = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const filter = new BloomFilter({ capacity: 1000 });
filter.addMany(['ada', 'grace']);

const outcomes = await runChecks([
  [
    'saved filters: move to a Worker without a copy, and come back',
    async () => {
      const sent = filter.toBytes();
      const back = await askWorker<Uint8Array>('addKey', sent, { transfer: [sent.buffer] });
      same(sent.length, 0, 'what stays behind, in bytes');
      const loaded = load(back);
      holds(loaded.has('alan') && loaded.has('ada') && !filter.has('alan'), 'not the filter that the Worker changed');
    },
  ],
  [
    'saved filters: are kept by IndexedDB',
    async () => {
      const open = indexedDB.open('bloomery', 1);
      open.onupgradeneeded = () => open.result.createObjectStore('filters');
      const database = await promised(open);
      const store = () => database.transaction('filters', 'readwrite').objectStore('filters');
      await promised(store().put(filter.toBytes(), 'names'));
      const loaded = load((await promised(store().get('names'))) as Uint8Array);
      database.close();
      await promised(indexedDB.deleteDatabase('bloomery'));
      holds(loaded.equals(filter), 'not the filter that was saved');
    },
  ],
]);
await report('page', outcomes);
