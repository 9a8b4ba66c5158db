// Bundles the command line with the parts of the library that it needs, so that it starts in little more time than
// Node, and writes its manual page.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const commandLine = 'dist/cli/main.js';

export async function writeCommandLine(): Promise<void> {
  const { rolldown } = await import('rolldown');
  rmSync(dirname(commandLine), { recursive: true, force: true });
  const bundle = await rolldown({
    input: {
      main: 'cli/main.ts',
      worker: 'cli/threads/worker.ts',
      'shard-worker': 'dist/node/parallel/shard-worker.js',
    },
    platform: 'node',
    transform: { target: 'node20' },
  });
  await bundle.write({
    dir: dirname(commandLine),
    // Code that only some commands need is loaded by these. What several need is in one file, and loads as fast.
    codeSplitting: { groups: [{ name: 'common', minShareCount: 2 }] },
    minify: true,
    comments: false,
  });
  const { manualPage } = await import('../cli/args/manual.ts');
  const { commands } = await import('../cli/commands.ts');
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync('dist/cli/bloomery.1', manualPage(commands, version));
}
