// Runs the conformance program in a request handler of edge-runtime.

import { runAll } from '../checks/index.ts';

interface FetchEvent extends Event {
  respondWith(response: Promise<Response>): void;
}

addEventListener('fetch', (event) => {
  const answer = async (): Promise<Response> => Response.json(await runAll('JavaScript'));
  (event as FetchEvent).respondWith(answer());
});
