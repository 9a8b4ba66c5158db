// Runs before all tests: checks that what they need is there, and installs the clients of Redis.

import { spawnSync } from 'node:child_process';
import { install } from '../tools/install.ts';
import { commands } from '../tools/test-set.ts';

export default function setup(): void {
  const missing = Object.entries(commands).filter(([name]) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length > 0) {
    const list = missing.map(([name, remedy]) => `${name} is missing (${remedy})`).join(', ');
    // Not thrown: a stack would hide what is missing.
    console.error(`Not all tests can run: ${list}. \`npm test\`, without CI=true, needs nothing but Node.`);
    process.exit(1);
  }
  install('test/redis');
}
