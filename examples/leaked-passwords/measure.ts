// Asks a list of passwords on a server of static files: what is sent for an answer. Then asks a file how often passwords
// leaked, and measures what a `Map` or JSON would take in its place.
//
//   npm run example examples/leaked-passwords/measure.ts           # 1,000,000 passwords
//   npm run example examples/leaked-passwords/measure.ts 100000

import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockedBloomFilter } from 'bloomery';
import { saveFile } from 'bloomery/file';
import { FuseMapLookup } from 'bloomery/lookup';
import { printBeside } from '../beside.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { isLeaked, openList } from './leaked.ts';
import { openTimes, packTimes, timesLeaked } from './times.ts';

const ERROR_RATE = 0.001;
const ASKED = 500;

const count = sizeArgument('passwords', 1_000_000);
const random = seededRandom(1970);
const passwordOf = (i: number): string => `${i.toString(36)}-${random().toString(36).slice(2, 8)}`;
const leaked = Array.from({ length: count }, (_, i) => passwordOf(i));
const others = Array.from({ length: ASKED }, (_, i) => `${passwordOf(i)}!`);
const folder = mkdtempSync(join(tmpdir(), 'leaked-'));
const file = join(folder, 'leaked.bloom');

const digests = leaked.map((password) => createHash('sha1').update(password).digest('hex').toUpperCase());
await saveFile(BlockedBloomFilter.from(digests, { errorRate: ERROR_RATE }), file);
const { size: bytes, mtimeMs } = statSync(file);

/** What any server of static files does: ranges of a file, with a tag that changes when the file does. */
let sent = 0;
let requests = 0;
const server = createServer(({ headers: { range = '' } }, response) => {
  const [, first = 0, last = 0] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).map(Number);
  const end = Math.min(last, bytes - 1);
  requests++;
  sent += end - first + 1;
  response.writeHead(206, { etag: `"${mtimeMs}"`, 'content-range': `bytes ${first}-${end}/${bytes}` });
  createReadStream(file, { start: first, end }).pipe(response);
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

const begun = performance.now();
const list = await openList(`http://127.0.0.1:${(server.address() as AddressInfo).port}/leaked.bloom`);
const opening = { requests, sent, time: performance.now() - begun };
const start = performance.now();
let missed = 0;
for (const password of leaked.slice(0, ASKED)) if (!(await isLeaked(list, password))) missed++;
let wrong = 0;
for (const password of others) if (await isLeaked(list, password)) wrong++;
const time = performance.now() - start;

heading(`${integer(count)} passwords in a list`);
row('the file', size(bytes), `${((8 * bytes) / count).toFixed(1)} bits per password`);
heading('To open it');
row('requests', integer(opening.requests), `${size(opening.sent)}, ${opening.time.toFixed(1)} ms`);
heading(`To ask for ${integer(2 * ASKED)} passwords, one after the other`);
row('requests', integer(requests - opening.requests), 'the others were answered from the cache');
row('sent', size(sent - opening.sent), `${size((sent - opening.sent) / (2 * ASKED))} an answer`);
row('time per answer', `${(time / (2 * ASKED)).toFixed(2)} ms`, 'on this machine, without a network');
row('leaked passwords missed', integer(missed));
row('others that look leaked', integer(wrong), `${percent(wrong / ASKED)} of ${integer(ASKED)}`);
must(missed === 0, 'every leaked password is found');
must(sent - opening.sent <= 2 * ASKED * 4096, 'an answer takes one page of 4 KiB at most');

await list.close();
server.close();
server.closeAllConnections();

// Few passwords leaked often.
const counts = new Map(digests.map((digest) => [digest, Math.ceil(1 / (1 - random()))]));
const packing = performance.now();
const map = packTimes(counts);
const packed = performance.now() - packing;
const timesFile = join(folder, 'times.bloom');
writeFileSync(timesFile, map);
const times = await openTimes(timesFile);
let wrongTimes = 0;
const asking = performance.now();
for (let i = 0; i < ASKED; i++) {
  const count = counts.get(digests[i] as string) as number;
  const least = await timesLeaked(times, leaked[i] as string);
  if (count < least || count >= 2 * least) wrongTimes++;
}
const perAnswer = (performance.now() - asking) / ASKED;
let someTimes = 0;
for (const password of others) if ((await timesLeaked(times, password)) > 0) someTimes++;
await times.close();

heading('How often they leaked');
row(
  'the file',
  size(map.length),
  `${((8 * map.length) / count).toFixed(1)} bits per password, in ${packed.toFixed(0)} ms`,
);
row('milliseconds an answer, not loaded', perAnswer.toFixed(2));
row('wrong powers of two', integer(wrongTimes));
row('others that seem to have leaked', integer(someTimes), `${percent(someTimes / ASKED)} of ${integer(ASKED)}`);
must(wrongTimes === 0, 'every leaked password has the power of two of its count');

const powers = Array.from(counts, ([digest, count]) => [digest, Math.floor(Math.log2(count))] as const);
const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(powers)));
const parse = (file: Uint8Array): Record<string, number> => JSON.parse(new TextDecoder().decode(file));
printBeside(
  [
    {
      label: 'The map',
      file: map,
      isFile: true,
      load(file) {
        const lookup = FuseMapLookup.fromBytes(file);
        return (digest) => lookup.get(digest);
      },
    },
    {
      label: 'All in a Map, from JSON',
      file: json,
      load(file) {
        const all = new Map(Object.entries(parse(file)));
        return (digest) => all.get(digest);
      },
    },
    {
      label: 'All in the object of JSON.parse',
      file: json,
      load(file) {
        const all = parse(file);
        return (digest) => all[digest];
      },
    },
  ],
  digests.slice(0, 20_000),
);
rmSync(folder, { recursive: true });
