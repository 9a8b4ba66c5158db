import type { Target } from '../target.ts';
import { installed, processTarget } from './process.ts';

export const deno: Target = processTarget({
  name: 'deno',
  runtime: 'Deno',
  program: 'Deno',
  path: installed('@deno/linux-x64-glibc/deno'),
  // Without any permission: the package reads no file and opens no connection.
  args: ['run', '--no-prompt', '--no-remote', '--no-lock'],
});
