// The Worker of the page. Its code is in another module, which it imports. If it were here, chunks of a bundle would
// import this file for the code that they share with it, and WebKit would then run the file a second time.

import type { Request } from './job.ts';

declare const self: DedicatedWorkerGlobalScope;

const requests = import('./requests.ts');

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  // The page gets errors as an `error` event, as it does for a script that does not load.
  requests.then(({ take }) => take(data)).catch(reportError);
});
