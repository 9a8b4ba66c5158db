// Where the system limits addresses, as `ulimit -v` does, WebAssembly gets no memory: for each, V8 sets some 10 GB of them
// aside, so that it need not check bounds. An option of Node has it check bounds instead.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

const OPTION = '--disable-wasm-trap-handler';

/** Whether the addresses of this process are limited. Only Linux tells, and other systems hardly ever limit them. */
export function isLimited(): boolean {
  try {
    return /^Max address space +\d/m.test(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return false;
  }
}

/** Whether WebAssembly would get no memory, or only a few of them, and another process can do without the addresses. */
export function needsOption(): boolean {
  const isGiven = process.execArgv.includes(OPTION) || process.env['NODE_OPTIONS']?.includes(OPTION);
  // Node 20 has it from 20.15 on.
  return !isGiven && process.allowedNodeEnvironmentFlags.has(OPTION) && isLimited();
}

/** Runs this program in another process, with the option and the same arguments, and ends as that does. */
export async function runWithOption(): Promise<void> {
  const [node, ...args] = process.argv as [string, ...string[]];
  // A terminal sends its signals to all processes of a group, so that the other one would get them twice. It must be in
  // that group to read from the terminal.
  const isApart = !isatty(0);
  const child = spawn(node, [...process.execArgv, OPTION, ...args], { stdio: 'inherit', detached: isApart });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, () => (isApart || signal === 'SIGTERM') && child.kill(signal));
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  process.exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals];
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
}
