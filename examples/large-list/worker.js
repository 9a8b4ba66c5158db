// On a host of plain files, without a bundler: replace 'bloomery' by './bloomery.min.js', a file of the package's dist/,
// and copy that file to this folder.
import { addLines, BloomFilter, fileStream, omitLines } from 'bloomery';

/** One line in 10,000 that should be left is dropped as well. */
const ERROR_RATE = 1e-4;

/** Tells the page about progress, at most twenty times a second. */
function reporter(text, size) {
  let last = 0;
  return ({ bytes }) => {
    if (performance.now() < last + 50) return;
    last = performance.now();
    postMessage({ text, done: bytes / Math.max(size, 1) });
  };
}

/** The file without the mark with which some editors begin a text, and which would be part of the first line. */
async function textOf(file) {
  const start = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  return start.join() === '239,187,191' ? file.slice(3) : file;
}

async function filterOf(file) {
  let onProgress = reporter('Reading the lines to drop', file.size);
  // If the lines are shorter than this guess, the first attempt counts them.
  for (let capacity = Math.ceil(file.size / 16) + 1; ; ) {
    const filter = new BloomFilter({ capacity, errorRate: ERROR_RATE });
    const { lines } = await addLines(filter, file, { onProgress });
    if (lines <= capacity) return filter;
    filter.dispose();
    capacity = lines;
    onProgress = reporter('Reading them again, because there are more than expected', file.size);
  }
}

async function filterList(blocklist, list) {
  const filter = await filterOf(await textOf(blocklist));
  const report = reporter('Filtering the list', list.size);
  let counts;
  const onProgress = (progress) => {
    counts = progress;
    report(progress);
  };
  const parts = [];
  const left = new WritableStream({ write: (lines) => void parts.push(new Blob([lines])) });
  await fileStream(await textOf(list))
    .pipeThrough(omitLines(filter, { onProgress }))
    .pipeTo(left);
  const text = `Done: ${counts.kept} of ${counts.lines} lines are left`;
  postMessage({ text, done: 1, result: new Blob(parts) });
}

addEventListener('message', ({ data: { blocklist, list } }) => {
  filterList(blocklist, list).catch((error) => postMessage({ error: String(error) }));
});
