// Runs the built command line: in this process, which takes a twentieth of the time, or in one of its own, which has
// signals, pipes and memory of its own.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer, text as textIn } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, vi } from 'vitest';

export const program = join(import.meta.dirname, '../../dist/cli/main.js');

export interface Result {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** As much as a pipe passes on at a time. */
const PIPE_BYTES = 65_536;
/** Imports as Node does. Vitest would transform the program each time. */
const native = 'data:text/javascript,export const load = (url) => import(url)';
const { load } = (await import(/* @vite-ignore */ native)) as { load(url: string): Promise<unknown> };

/** A stream, and the copies of what is written to it. */
function gather(): { stream: Writable; chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  const write = (chunk: Uint8Array, _: unknown, done: () => void): void => {
    chunks.push(Buffer.from(chunk));
    done();
  };
  return { stream: new Writable({ write }), chunks };
}

let runs = 0;

async function runHere(input: string | Uint8Array, args: readonly string[]): Promise<Result> {
  const bytes = Buffer.from(input);
  const parts = Array.from({ length: Math.ceil(bytes.length / PIPE_BYTES) }, (_, i) =>
    bytes.subarray(i * PIPE_BYTES, (i + 1) * PIPE_BYTES),
  );
  const [stdout, stderr] = [gather(), gather()];
  const { argv } = process;
  const spies = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(parts, { objectMode: false }) as never),
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout.stream as never),
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr.stream as never),
  ];
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  try {
    await load(`${pathToFileURL(program)}?${runs++}`);
    const code = Number(process.exitCode ?? 0);
    return { code, stdout: Buffer.concat(stdout.chunks), stderr: Buffer.concat(stderr.chunks).toString() };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.argv = argv;
    process.exitCode = undefined;
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process with these bytes as stdin, after those that run already. */
export function runOn(input: string | Uint8Array, ...args: string[]): Promise<Result> {
  const result = last.then(() => runHere(input, args));
  last = result.catch(() => {});
  return result;
}

export function run(...args: string[]): Promise<Result> {
  return runOn('', ...args);
}

/** The last line on stderr where a filter has decided. */
export const DECIDED = /(?<=^|\n)[\d,]+ (?:line|record)s? read, [\d,]+ kept; expected to be [a-z ]+: [^\n]+\n$/;

/**
 * What a command line tells, whose words have blanks between them: its exit code, stdout and stderr, without what is
 * said of the decisions of a filter.
 */
export async function told(line: string, input: string | Uint8Array = ''): Promise<[number | null, string, string]> {
  const { code, stdout, stderr } = await runOn(input, ...line.split(' ').filter((word) => word !== ''));
  return [code, stdout.toString(), stderr.replace(DECIDED, '')];
}

/** What a command line prints. */
export const textOf = async (line: string, input?: string | Uint8Array): Promise<string> =>
  (await told(line, input))[1];

/** What a command line tells that succeeds and has nothing to print. */
export const DONE = [0, '', ''];

/** Lines of numbers, from one up to another. */
export const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join('');

export function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
}

/** Runs a command in a process of its own, in another folder or environment. */
export async function runIn(options: SpawnOptions, ...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'pipe', ...options });
  child.stdin?.end();
  const outputs = Promise.all([buffer(child.stdout as Readable), textIn(child.stderr as Readable)]);
  const [code] = await once(child, 'close');
  const [stdout, stderr] = await outputs;
  return { code, stdout, stderr };
}

/** Runs a command in a process of its own with a file as stdin, as `< file` does. */
export async function runReading(file: string, ...args: string[]): Promise<Result> {
  const input = openSync(file, 'r');
  const result = await runIn({ stdio: [input, 'pipe', 'pipe'] }, ...args);
  closeSync(input);
  return result;
}

export function temporaryFolder(): { folder: string; path: (name: string) => string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
  return { folder, path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}

/** Lets a test file work in a folder of its own, so that commands and messages have short names of files. */
export function workInFolder(): void {
  const { folder, remove } = temporaryFolder();
  const before = process.cwd();
  process.chdir(folder);
  afterAll(() => {
    process.chdir(before);
    remove();
  });
}

/** Writes files into that folder: texts, bytes, and filters as they are saved. */
export function write(files: Readonly<Record<string, string | Uint8Array | { toBytes(): Uint8Array }>>): void {
  for (const [name, contents] of Object.entries(files)) {
    writeFileSync(name, typeof contents === 'object' && 'toBytes' in contents ? contents.toBytes() : contents);
  }
}
