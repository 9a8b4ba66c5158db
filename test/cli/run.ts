import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = join(import.meta.dirname, '../../dist/cli/main.js');

export interface Result {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
}

/** Waits for the end of a program that gets these bytes as stdin. */
function finish(child: ChildProcess, input: string | Uint8Array = ''): Promise<Result> {
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  // The command may exit without reading its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr }));
  });
}

/** Runs the built command line with these bytes as stdin. */
export function runOn(input: string | Uint8Array, ...args: string[]): Promise<Result> {
  return finish(start(...args), input);
}

/** Runs the built command line in another folder or environment. */
export function runIn(options: SpawnOptions, ...args: string[]): Promise<Result> {
  return finish(spawn(process.execPath, [program, ...args], { ...options, stdio: 'pipe' }));
}

/** Runs the built command line with a file as stdin, as `< file` does. */
export async function runReading(file: string, ...args: string[]): Promise<Result> {
  const input = openSync(file, 'r');
  try {
    return await finish(spawn(process.execPath, [program, ...args], { stdio: [input, 'pipe', 'pipe'] }));
  } finally {
    closeSync(input);
  }
}

export function run(...args: string[]): Promise<Result> {
  return runOn('', ...args);
}

export function temporaryFolder(): { folder: string; path: (name: string) => string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
  return { folder, path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}
