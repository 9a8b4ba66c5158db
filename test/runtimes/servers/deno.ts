import type { Target } from '../target.ts';
import { installed, processTarget } from './process.ts';

// Without any permission: the package reads no file and opens no connection.
const args = ['run', '--no-prompt', '--no-remote', '--no-lock'];

export const deno: Target = processTarget({
  name: 'deno',
  runtime: 'Deno',
  program: 'Deno',
  path: installed('@deno/linux-x64-glibc/deno'),
  args,
  assets: [
    {
      name: 'import',
      code: "import bytes from './names.bloom' with { type: 'bytes' };",
      args: [...args, '--unstable-raw-imports'],
    },
    {
      name: 'fetch',
      code: "const bytes = await (await fetch(new URL('./names.bloom', import.meta.url))).bytes();",
      args: [...args, '--allow-read'],
    },
  ],
});
