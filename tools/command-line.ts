// Bundles the command line with the parts of the library that it needs, so that it starts in little more time than
// Node, and writes its manual page.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const commandLine = 'dist/cli/main.js';

export async function writeCommandLine(): Promise<void> {
  const { build } = await import('esbuild');
  rmSync(dirname(commandLine), { recursive: true, force: true });
  await build({
    entryPoints: {
      main: 'cli/main.ts',
      worker: 'cli/threads/worker.ts',
      'shard-worker': 'dist/node/parallel/shard-worker.js',
    },
    outdir: dirname(commandLine),
    bundle: true,
    // Code that only some commands need is loaded by these.
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
  });
  const { manualPage } = await import('../cli/args/manual.ts');
  const { commands } = await import('../cli/commands.ts');
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync('dist/cli/bloomery.1', manualPage(commands, version));
}
