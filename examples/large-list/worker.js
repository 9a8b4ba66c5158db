import { addLines, BloomFilter, fileStream, omitLines } from 'bloomery';

/** One line in 10,000 that should be left is dropped as well. */
const ERROR_RATE = 1e-4;

/** Tells the page about progress, at most twenty times a second. */
function reporter(text, size) {
  let last = 0;
  return ({ bytes }) => {
    if (performance.now() < last + 50) return;
    last = performance.now();
    postMessage({ text, done: bytes / size });
  };
}

async function filterOf(file) {
  const onProgress = reporter('Reading the lines to drop', file.size);
  // If the lines are shorter than this guess, the first attempt counts them.
  for (let capacity = Math.ceil(file.size / 16) + 1; ; ) {
    const filter = new BloomFilter({ capacity, errorRate: ERROR_RATE });
    const { lines } = await addLines(filter, file, { onProgress });
    if (lines <= capacity) return filter;
    filter.dispose();
    capacity = lines;
  }
}

async function filterList(blocklist, list) {
  const filter = await filterOf(blocklist);
  const report = reporter('Filtering the list', list.size);
  let counts;
  const onProgress = (progress) => {
    counts = progress;
    report(progress);
  };
  const left = fileStream(list).pipeThrough(omitLines(filter, { onProgress }));
  const result = await new Response(left).blob();
  postMessage({ text: `Done: ${counts.kept} of ${counts.lines} lines are left`, done: 1, result });
}

addEventListener('message', ({ data: { blocklist, list } }) => {
  filterList(blocklist, list).catch((error) => postMessage({ error: String(error) }));
});
