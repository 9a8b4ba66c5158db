// One filter behind HTTP, for programs of any language on one machine. PUT adds the lines of a body; POST returns those
// lines that may be in the filter.
//
//   serve(new BlockedBloomFilter({ capacity: 10_000_000 })).listen(8080, '127.0.0.1');
//
//   curl --upload-file new.txt http://127.0.0.1:8080
//   curl --data-binary @wanted.txt http://127.0.0.1:8080

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type BlockedBloomFilter, lines } from 'bloomery';

/** The most bytes of a request. */
const MOST_BYTES = 2 ** 24;

/** Reads the lines of a request; undefined if there are too many. */
async function linesOf(request: IncomingMessage): Promise<ReturnType<typeof lines> | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return lines(Buffer.concat(chunks));
}

/** Makes a server that answers from a filter, and adds to it. */
export function serve(filter: BlockedBloomFilter): Server {
  return createServer(async (request, response) => {
    const { method = '' } = request;
    if (method !== 'PUT' && method !== 'POST') {
      response.writeHead(405, { allow: 'PUT, POST' }).end();
      return;
    }
    const keys = await linesOf(request).catch(() => undefined);
    if (keys === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
    } else if (method === 'PUT') {
      filter.addMany(keys);
      response.writeHead(204).end();
    } else {
      response.end(filter.pick(keys).bytes);
    }
  });
}
