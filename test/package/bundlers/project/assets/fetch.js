// Answers `fetch` with the files of the folder, as a server of files would.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const { fetch } = globalThis;

globalThis.fetch = async (address) => {
  const name = String(address);
  if (name.startsWith('data:')) return fetch(name);
  return new Response(await readFile(name.startsWith('file:') ? new URL(name) : join(process.cwd(), name)));
};
