// The Worker of the race. Its code is in other modules: see filter-list/filter.worker.ts.

import type { Counts } from './race.ts';

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener('message', ({ data }: MessageEvent<Counts>) => {
  Promise.all([import('./race.ts'), import('../engine.ts').then(({ chooseEngine }) => chooseEngine())])
    .then(([{ race }, engine]) => race(engine, data, (row) => self.postMessage(row)))
    // The page gets errors as an `error` event, as it does for a script that does not load.
    .catch(reportError);
});
