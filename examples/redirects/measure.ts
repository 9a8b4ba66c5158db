// Packs the redirects of a site that was renamed, and sends it requests: how often the table is read, and what a `Map` or
// JSON would take in place of the map.
//
//   npm run example examples/redirects/measure.ts [REDIRECTS]

import { FuseMapLookup } from 'bloomery/lookup';
import { printBeside } from '../beside.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { pack, redirector } from './redirects.ts';

const REDIRECTS = sizeArgument('redirects', 200_000);
/** One request in twenty is for an old path. */
const REQUESTS = 20_000;
const OLD_SHARE = 0.05;

const oldPath = (i: number): string => `/blog/${2005 + (i % 20)}/article-${i}`;
const newPath = (i: number): string => `/articles/${i}`;
const redirects = new Map(Array.from({ length: REDIRECTS }, (_, i) => [oldPath(i), newPath(i)]));

const start = performance.now();
const { places, table } = pack(redirects);
const packed = performance.now() - start;

let read = 0;
const redirect = redirector(places, async (from, to) => {
  read++;
  return table.subarray(from, to);
});

const random = seededRandom(1970);
let wrong = 0;
let redirected = 0;
const begin = performance.now();
for (let i = 0; i < REQUESTS; i++) {
  const number = Math.floor(random() * REDIRECTS);
  const path = random() < OLD_SHARE ? oldPath(number) : newPath(number);
  const response = await redirect(`https://example.org${path}?page=2`);
  const wanted = redirects.get(path);
  const got = response?.headers.get('location');
  if (got !== (wanted && `https://example.org${wanted}?page=2`)) wrong++;
  if (response) redirected++;
}
const each = (performance.now() - begin) / REQUESTS;

console.log(`${integer(REDIRECTS)} redirects, ${integer(REQUESTS)} requests`);
heading('Shipped');
row('the map', size(places.length), `made with the table in ${packed.toFixed(0)} ms`);
row('the table, which stays on a server', size(table.length));
heading('Answered');
row('requests redirected', integer(redirected));
row('pages read', integer(read), `${integer(REQUESTS)} without the map`);
row(
  'of which in vain',
  integer(read - redirected),
  `${percent((read - redirected) / (REQUESTS - redirected))}, promised: 0.195 %`,
);
row('wrong answers', integer(wrong));
row('microseconds a request', (1000 * each).toFixed(1));

const paths = Array.from({ length: REQUESTS }, () => oldPath(Math.floor(random() * REDIRECTS)));
const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(redirects)));
const text = (file: Uint8Array): string => new TextDecoder().decode(file);
printBeside(
  [
    {
      label: 'The map',
      file: places,
      isFile: true,
      load: (file) => {
        const lookup = FuseMapLookup.fromBytes(file);
        return (path) => lookup.get(path);
      },
    },
    {
      label: 'All in a Map, from JSON',
      file: json,
      load: (file) => {
        const map = new Map<string, string>(Object.entries(JSON.parse(text(file))));
        return (path) => map.get(path);
      },
    },
    {
      label: 'All in the object of JSON.parse',
      file: json,
      load: (file) => {
        const object: Record<string, string> = JSON.parse(text(file));
        return (path) => object[path];
      },
    },
  ],
  paths,
);
must(wrong === 0, 'every request is answered as by the whole table');
