// Runs before all tests: checks that what they need is there, and installs the clients of Redis.

import { execFileSync, spawnSync } from 'node:child_process';
import { commands } from '../tools/test-set.ts';

export default function setup(): void {
  requireCommands();
  execFileSync(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', 'test/redis'], {
    stdio: 'inherit',
  });
}

function requireCommands(): void {
  const missing = Object.entries(commands).filter(([name]) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length === 0) return;
  const list = missing.map(([name, remedy]) => `${name} is missing (${remedy})`).join(', ');
  // Not thrown: a stack would hide what is missing.
  console.error(`Not all tests can run: ${list}. \`npm test\`, without CI=true, needs nothing but Node.`);
  process.exit(1);
}
