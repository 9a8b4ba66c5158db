// Bundles the command line with what it needs of the library, so that it starts in little more time than Node.

import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

export const commandLine = 'dist/cli/main.js';

export async function writeCommandLine(): Promise<void> {
  const { build } = await import('esbuild');
  rmSync(dirname(commandLine), { recursive: true, force: true });
  await build({
    entryPoints: ['cli/main.ts'],
    outdir: dirname(commandLine),
    bundle: true,
    // What only some commands need is loaded by them.
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names stay as they are, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
  });
}
