// The last Chromium that compiles no more than 4 KiB of WebAssembly at once on the main thread of a page. Current
// puppeteer does not drive it, so each page is a process of its own.

import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import type { Launch } from './browser.ts';
import { quiet } from './chromium.ts';
import { type Group, startGroup, temporaryFolder } from './processes.ts';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The path of the program, which is unpacked the first time. */
async function unpacked(): Promise<string> {
  const folder = `${modules}.cache/chromium-114`;
  const program = `${folder}/chromium`;
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const packed = createReadStream(`${modules}@sparticuz/chromium/bin/chromium.br`);
  const partial = `${program}.${process.pid}`;
  await pipeline(packed, createBrotliDecompress(), createWriteStream(partial));
  await chmod(partial, 0o755);
  // Renamed when it is complete, so that an interrupted run leaves no broken program.
  await rename(partial, program);
  return program;
}

export const launchChromium114: Launch = async () => {
  const program = await unpacked();
  const profile = temporaryFolder();
  let page: Group | undefined;
  return {
    get pid() {
      if (page === undefined) throw new Error('no page is open');
      return page.pid;
    },
    version: undefined,
    async open(url) {
      await page?.end();
      const args = ['--headless', '--no-zygote', '--disable-dev-shm-usage', '--remote-debugging-port=0'];
      page = startGroup(program, [...quiet, ...args, `--user-data-dir=${profile.path}`, url]);
    },
    async close() {
      await page?.end();
      profile.remove();
    },
  };
};
