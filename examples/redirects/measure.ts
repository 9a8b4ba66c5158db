// Packs the redirects of a site that was renamed, and sends it requests: how often the table is read, and what is
// shipped.
//
//   npm run example examples/redirects/measure.ts [REDIRECTS]

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
const { filter, parts } = pack(redirects);
const packed = performance.now() - start;

let read = 0;
const redirect = redirector(filter, parts.length, async (part) => {
  read++;
  return parts[part] ?? {};
});

const random = seededRandom(1970);
let wrong = 0;
let redirected = 0;
let longest = 0;
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
for (const part of parts) longest = Math.max(longest, JSON.stringify(part).length);

console.log(`${integer(REDIRECTS)} redirects, ${integer(REQUESTS)} requests`);
heading('Shipped');
row('the filter', size(filter.length), `made with the table in ${packed.toFixed(0)} ms`);
row('the whole table, as JSON', size(JSON.stringify(Object.fromEntries(redirects)).length));
row('the largest part of it', size(longest), `${integer(parts.length)} parts`);
heading('Answered');
row('requests redirected', integer(redirected));
row('parts read', integer(read), `${integer(REQUESTS)} without the filter`);
row(
  'of which in vain',
  integer(read - redirected),
  `${percent((read - redirected) / (REQUESTS - redirected))}, promised: 0.2 %`,
);
row('wrong answers', integer(wrong));
row('microseconds a request', (1000 * each).toFixed(1));
must(wrong === 0, 'every request is answered as by the whole table');
