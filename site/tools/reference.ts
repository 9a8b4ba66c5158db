// Makes the reference of the package's entries as Markdown, in site/build/reference/, from the model of the API.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { about, readApi } from '../../tools/api/read.ts';
import { examplesIn } from './reference/examples.ts';
import { pagesOf } from './reference/pages.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const output = path('../build/reference');
/** From the folder of the pages to that of the repository. */
const REPOSITORY = '../../..';

/** Documents with examples for the pages, the best first. */
const EXAMPLES = [
  'docs/kinds.md',
  'docs/guard.md',
  'docs/saving.md',
  'docs/opening.md',
  'docs/redis.md',
  'docs/redis-operations.md',
  'docs/threads.md',
  'docs/security.md',
  'docs/interop.md',
  'docs/migrating.md',
  'docs/assets.md',
  'docs/streams.md',
  'docs/runtimes.md',
  'README.md',
];

export function writeReference(): void {
  const examples = EXAMPLES.flatMap((name) => examplesIn(name, readFileSync(path(`../../${name}`), 'utf8')));
  const pages = pagesOf({ api: readApi(), about, examples, repository: REPOSITORY });
  rmSync(output, { recursive: true, force: true });
  for (const [name, markdown] of pages) {
    mkdirSync(dirname(join(output, name)), { recursive: true });
    writeFileSync(join(output, name), markdown);
  }
}
