// The Worker of the page. Its code is in a module that it imports: bundlers let chunks import what they share with the
// module that imports them, and WebKit would run the module with which a Worker begins once more, as another one.

import type { Request } from './job.ts';

declare const self: DedicatedWorkerGlobalScope;

const requests = import('./requests.ts');

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  // The page hears of an error in the same way as of a script that does not load.
  requests.then(({ take }) => take(data)).catch(reportError);
});
