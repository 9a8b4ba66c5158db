// Words in which readers ask for a section that is written in others. Single words of one meaning are in
// src/search/query.ts; here are those that belong to one section.

/** By the path of a page, or a section of it, below the folder of the site. */
export const words: Readonly<Record<string, string>> = {
  'docs.html': 'getting started, begin, install, example, hello world, how to use',
  'docs/overview.html': 'what is a bloom filter',
  'docs/overview.html#install':
    'require commonjs, esm, npm, yarn, pnpm, import, node version, typescript, declarations',
  'docs/overview.html#which-error-rate':
    'false positive rate, how many bits, how many hashes, probability, parameters m k',
  'docs/overview.html#which-capacity': 'how many keys, too many keys, overfull, saturation',
  'docs/overview.html#batches': 'bulk insert, bulk add, many keys at once',
  'docs/overview.html#keys': 'numbers, integers, bigint, objects, buffers, uuid, encoding',
  'docs/faq.html#why-does-has-say-yes-for-a-key-that-i-never-added': 'why maybe, may be present',
  'docs/faq.html#can-i-have-no-errors-at-all': 'exact, zero errors, certain',
  'docs/faq.html#how-large-is-it': 'size, bytes, memory, footprint',
  'docs/faq.html#how-do-i-remove-a-key': 'delete, remove',
  'docs/faq.html#how-do-i-list-the-keys': 'list the keys, iterate, enumerate, values, foreach',
  'docs/kinds.html': 'which one, choose, compare',
  'docs/kinds.html#combining': 'merge, union, intersection, combine two filters',
  'docs/kinds.html#forgetting': 'expire, ttl, time to live, sliding window, last hour',
  'docs/kinds.html#growing': 'unknown number of keys, unbounded, dynamic, resize',
  'docs/saving.html': 'serialise, localstorage, indexeddb',
  'docs/saving.html#to-a-file': 'save to disk, save to a file, write',
  'docs/redis.html': 'redis, valkey',
  'docs/saving.html#as-text': 'json, base64, stringify',
  'docs/command-line.html#dedupe': 'remove duplicate lines of a file, dedupe file, uniq',
  'docs/browsers.html#content-security-policy': 'csp, wasm, unsafe-eval',
  'docs/browsers.html#without-a-bundler': 'cdn, script tag, unpkg, jsdelivr',
  'docs/browsers.html#frameworks': 'react, vue, svelte, angular',
  'docs/threads.html': 'worker_threads, sharedarraybuffer, cluster',
  'docs/security.html': 'attack, hashdos, untrusted, security, adversary',
  'docs/performance.html': 'performance',
};
