// An HTTP server in a thread of its own. GET tells whether a name may be taken (200) or is free (404); PUT takes it: 201 if
// it was free, 200 if not. If two threads take one name in the same instant, both may answer 201: where only one may have
// it, the database decides.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { SharedBloomFilter } from 'bloomery/shared';

const taken = SharedBloomFilter.attach(workerData);

const server = createServer(({ method, url }, response) => {
  const name = url.slice(1);
  if (method === 'PUT') response.writeHead(taken.add(name) ? 201 : 200).end();
  else response.writeHead(taken.has(name) ? 200 : 404).end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort.postMessage({ url: `http://127.0.0.1:${server.address().port}`, attachment: taken.attachment });
