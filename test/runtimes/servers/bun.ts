import type { Target } from '../target.ts';
import { installed, processTarget } from './process.ts';

export const bun: Target = processTarget({
  name: 'bun',
  runtime: 'Bun',
  program: 'Bun',
  path: installed('@oven/bun-linux-x64/bin/bun'),
  args: ['run', '--no-install'],
});
