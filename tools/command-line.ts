// Bundles the command line with the parts of the library that it needs, so that it starts in little more time than
// Node.

import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

export const commandLine = 'dist/cli/main.js';

export async function writeCommandLine(): Promise<void> {
  const { build } = await import('esbuild');
  rmSync(dirname(commandLine), { recursive: true, force: true });
  await build({
    entryPoints: { main: 'cli/main.ts', worker: 'cli/threads/worker.ts' },
    outdir: dirname(commandLine),
    bundle: true,
    // Code that only some commands need is loaded by these.
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names are not minified, so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
  });
}
