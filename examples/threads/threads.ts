// HTTP servers in several threads, which answer from one filter and add to it: a name that one of them has taken is taken
// for all, and the filter is in memory once.
//
//   const taken = new SharedBloomFilter({ capacity: 600_000_000, errorRate: 0.001 });
//   const { urls, stop } = await startServers(taken, 4);
//   await fetch(`${urls[0]}/ada`, { method: 'PUT' }); // 201: it was free
//   await fetch(`${urls[1]}/ada`); // 200: it is taken
//
// Each thread has a port of its own, for a load balancer in front. Where all should have the same one, Node 23 and later
// take `listen({ port, reusePort: true })` on Linux.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SharedBloomFilter } from 'bloomery/shared';

/**
 * Starts the server of `server.js` in each of `threads` threads. Returns their URLs, and a function that stops them.
 */
export async function startServers(taken: SharedBloomFilter, threads: number) {
  const file = new URL('server.js', import.meta.url);
  const workers = Array.from({ length: threads }, () => new Worker(file, { workerData: taken.handle }));
  const end = () => Promise.all(workers.map((worker) => worker.terminate()));
  try {
    const messages = await Promise.all(workers.map((worker) => once(worker, 'message')));
    const servers: { url: string; attachment: number }[] = messages.flat();
    return {
      urls: servers.map(({ url }) => url),
      async stop() {
        await end();
        // A thread that is terminated cannot give its place in the filter back.
        for (const { attachment } of servers) taken.release(attachment);
      },
    };
  } catch (error) {
    // The threads that did start would keep the process alive.
    await end();
    throw error;
  }
}
