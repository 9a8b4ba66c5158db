// What Linux tells about the processes of a browser, and how to end them.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The contents of a file in /proc, or '' if its process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** All processes that run: one that has ended and that nobody has asked about does not count. */
function running(): { pid: number; parent: number; group: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    // The name of the program comes before and may contain spaces and parentheses.
    const [state = 'Z', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ended = stat === '' || 'ZX'.includes(state);
    return ended ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
  });
}

/** The memory of a process and all its descendants in MiB: what they share is counted once. */
function memoryOf(root: number): number {
  const processes = running();
  const tree = [root];
  for (const each of tree) tree.push(...processes.filter(({ parent }) => parent === each).map(({ pid }) => pid));
  const kib = tree.map((pid) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

export interface MemorySampler {
  /** By how much the memory has been above that of the start since the last call, at most, in MiB. */
  peak(): number;
  stop(): void;
}

export function sampleMemory(root: number): MemorySampler {
  const start = memoryOf(root);
  let highest = start;
  const look = (): void => {
    highest = Math.max(highest, memoryOf(root));
  };
  const timer = setInterval(look, 200);
  return {
    peak() {
      look();
      const growth = highest - start;
      highest = 0;
      return growth;
    },
    stop: () => clearInterval(timer),
  };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Rejects with the name of what took too long. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What is left to undo if this program ends early. */
const cleanups = new Set<() => void>();
process.on('exit', () => {
  for (const each of cleanups) each();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Runs `cleanup` once: when it is called, or when this program ends. */
function atExit(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  return () => {
    if (cleanups.delete(cleanup)) cleanup();
  };
}

/** A new folder, which `remove` removes; so does the end of this program. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'bloomery-browser-'));
  // A browser may still write while it ends.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return { path, remove: atExit(remove) };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended.
  }
}

/** A program in a process group of its own. `end` ends the whole group, at the latest when this program ends. */
export interface Group {
  readonly pid: number;
  end(): Promise<void>;
}

/** Takes over a process that was started as the leader of a process group. */
export function groupOf(child: ChildProcess, name: string): Group {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} did not start`);
  const kill = atExit(() => signalGroup(pid, 'SIGKILL'));
  return {
    pid,
    async end() {
      signalGroup(pid, 'SIGTERM');
      const isAlive = (): boolean => running().some(({ group }) => group === pid);
      for (let waited = 0; isAlive() && waited < 3000; waited += 50) await sleep(50);
      kill();
    },
  };
}

export function startGroup(command: string, args: readonly string[]): Group {
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  // Without a listener, a program that is not installed would end this one.
  child.on('error', () => {});
  return groupOf(child, command);
}
