import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the types of bloomery/redis take the clients as they are declared', () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'test/redis/types', '--pretty', 'false'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
}, 300_000);
