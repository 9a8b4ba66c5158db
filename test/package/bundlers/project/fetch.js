// Answers `fetch` with the files of the working directory, as a server of files would.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

globalThis.fetch = async (address) => {
  const name = String(address);
  const path = name.startsWith('file:') ? fileURLToPath(name) : name;
  // Some bundlers write addresses that begin at the root of the site.
  return new Response(await readFile(existsSync(path) ? path : join(process.cwd(), path)));
};
