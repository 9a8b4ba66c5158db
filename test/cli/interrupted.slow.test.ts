// What `dedupe --seen` has saved when it is ended before the end of its text.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
} from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { numbers, program, start, told, workInFolder } from './run.ts';

workInFolder();

/** No line is expected to be lost at this rate. */
const lineFor = (seen: string): string => `dedupe --seen ${seen} -n 3M -p 1e-8`;
const startFor = (seen: string, ...args: string[]): ChildProcess => start(...lineFor(seen).split(' '), ...args);
const printed = async (seen: string, text: string): Promise<string> => (await told(lineFor(seen), text))[1];

/** Feeds a text without end to a command, until that ends. */
function feed({ stdin }: ChildProcess): void {
  let at = 0;
  const write = (): void => {
    while (stdin?.writable && stdin.write(numbers(at, at + 10_000))) at += 10_000;
    at += 10_000;
  };
  stdin?.on('drain', write).on('error', () => {});
  write();
}

describe('dedupe --seen that is ended', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('has saved what it has printed before %s', async (signal) => {
    // As `> file` does.
    const output = openSync('output', 'w');
    const args = [program, ...lineFor(signal).split(' ')];
    const child = spawn(process.execPath, args, { stdio: ['pipe', output, 'pipe'] });
    closeSync(output);
    child.stdin?.write('a\nb\na\nrest');
    while (readFileSync('output', 'utf8') !== 'a\nb\n') await wait(10);
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(await printed(signal, 'a\nb\nrest\n')).toBe('rest\n');
  });

  it.each(['1', '2'])('has saved what it has printed in the middle of a text: %s threads', async (threads) => {
    const child = startFor(`middle-${threads}`, '--threads', threads);
    const parts: Buffer[] = [];
    child.stdout?.on('data', (part: Buffer) => {
      if (parts.push(part) === 20) child.kill('SIGTERM');
    });
    feed(child);
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    const text = Buffer.concat(parts).toString();
    const next = Number(text.split('\n').at(-2)) + 1;
    expect(text).toBe(numbers(0, next));
    expect(await printed(`middle-${threads}`, numbers(0, next + 1000))).toBe(numbers(next, next + 1000));
  });

  it.skipIf(process.platform === 'win32')('has saved what it has written to a named pipe', async () => {
    execFileSync('mkfifo', ['pipe']);
    const child = startFor('piped', '-o', 'pipe');
    child.stdin?.write('a\nb\n');
    await once(createReadStream('pipe'), 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(await printed('piped', 'a\nb\nc\n')).toBe('c\n');
  });

  it('has written nothing and saved nothing if it writes to a file', async () => {
    mkdirSync('folder');
    const child = startFor('folder/seen', '-o', 'folder/output');
    child.stdin?.write('a\nb\n');
    // Once the file beside the output is there, the command reads.
    while (readdirSync('folder').length === 0) await wait(10);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(readdirSync('folder')).toEqual([]);
  });

  it('has saved a filter whose saving had begun', async () => {
    const child = startFor('saving');
    let isSent = false;
    const watcher = watch('.').on('change', (_event, name) => {
      if (!String(name).startsWith('.saving')) return;
      watcher.close();
      isSent = child.kill('SIGHUP');
    });
    child.stdin?.end('a\n');
    await once(child, 'close');
    expect(isSent).toBe(true);
    expect(await printed('saving', 'a\nb\n')).toBe('b\n');
  });

  it('ends at once by a second signal, and leaves the filter as it was', async () => {
    await printed('second', 'old\n');
    const before = readFileSync('second');
    const child = startFor('second');
    // More than a pipe holds. Nobody reads on, so the first signal waits.
    child.stdin?.write(`${'x'.repeat(8e6)}\n`);
    await once(child.stdout as NodeJS.ReadableStream, 'readable');
    child.kill('SIGINT');
    await wait(200);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    child.stdout?.destroy();
    expect(readFileSync('second').equals(before)).toBe(true);
    expect(readdirSync('.').filter((name) => name.startsWith('.second'))).toEqual([]);
  });

  it('says why it could not save the filter at a signal', async () => {
    mkdirSync('gone');
    const child = startFor('gone/seen');
    child.stdin?.write('a\n');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    rmSync('gone', { recursive: true });
    child.kill('SIGINT');
    const [said] = await once(child.stderr as NodeJS.ReadableStream, 'data');
    expect(String(said)).toBe("bloomery: cannot write 'gone/seen': no such file or directory\n");
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });

  it.each(['1', '2'])('leaves the filter as it was if its reader goes, and says so: %s threads', async (threads) => {
    const seen = `closed-${threads}`;
    const child = startFor(seen, '--threads', threads);
    let stderr = '';
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part;
    });
    child.stdout?.once('data', () => child.stdout?.destroy());
    feed(child);
    expect(await once(child, 'close')).toEqual([141, null]);
    const end = `'${seen}' was not saved, so they will be printed again\n`;
    expect(stderr).toBe(`bloomery: stdout was closed before all lines were written: ${end}`);
    expect(existsSync(seen)).toBe(false);
  });
});

it('dedupe without --seen ends at once by the first signal', async () => {
  const child = start('dedupe');
  child.stdin?.write('a\n');
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
});
