import type { Target } from '../target.ts';
import { installed, processTarget } from './process.ts';

const args = ['run', '--no-install'];

export const bun: Target = processTarget({
  name: 'bun',
  runtime: 'Bun',
  program: 'Bun',
  path: installed('@oven/bun-linux-x64/bin/bun'),
  args,
  assets: [
    {
      name: 'fetch',
      code: "const bytes = await (await fetch(new URL('./names.bloom', import.meta.url))).bytes();",
      args,
    },
  ],
});
