// Programs in JavaScript that run in a process of their own, whose memory the system counts.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a process measured of itself. */
export interface Measured {
  readonly seconds: number;
  /** The most memory that it had, in bytes. */
  readonly memory: number;
}

/** The address of a built module, for `import` in a program. */
export function built(name: string): string {
  return pathToFileURL(join('dist', name)).href;
}

/** Runs a program, which knows `names` and `integers`. It sets `result`. */
export function measure<T>(program: string, names: object): T & Measured {
  const text = `
    ${Object.entries(names)
      .map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`)
      .join('\n')}
    const begun = performance.now();
    const integers = (from, length) => {
      const keys = new Uint32Array(length);
      for (let i = 0; i < length; i++) keys[i] = from + i;
      return keys;
    };
    // On Linux, what the system says of a process begins with the memory of the one that has started it.
    const { existsSync, readFileSync } = await import('node:fs');
    const peak = () => existsSync('/proc/self/status')
      ? Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
      : process.resourceUsage().maxRSS;
    ${program}
    const seconds = (performance.now() - begun) / 1000;
    console.log(JSON.stringify({ ...result, seconds, memory: 1024 * peak() }));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', text], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as T & Measured;
}
