import { runAll } from '../checks/index.ts';

addEventListener('fetch', (event) => {
  const answer = async (): Promise<Response> => Response.json(await runAll('JavaScript'));
  (event as Event & { respondWith(response: Promise<Response>): void }).respondWith(answer());
});
