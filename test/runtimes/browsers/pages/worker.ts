import { runAll } from '../../checks/index.ts';
import { report } from './runner.ts';

const realm = new URLSearchParams(location.search).get('realm') ?? '';
const run = async (): Promise<void> => report(realm, await runAll('all', false));

if ('skipWaiting' in self) {
  // A service worker lives as long as it has something to wait for.
  self.addEventListener('message', (event) =>
    (event as unknown as { waitUntil(end: Promise<void>): void }).waitUntil(run()),
  );
} else {
  run();
}
