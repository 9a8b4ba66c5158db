// What `dedupe --seen` has saved when it is ended before the end of its text.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, watch } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { program, runOn, start, temporaryFolder } from './run.ts';

const { folder, path, remove } = temporaryFolder();
afterAll(remove);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join('');
/** No line is expected to be lost at this rate. */
const argumentsFor = (seen: string): string[] => ['dedupe', '--seen', seen, '-n', '3M', '-p', '1e-8'];

/** Starts the command with a file as stdout, as `> file` does. */
function startInto(file: string, ...args: string[]): ChildProcess {
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', output, 'pipe'] });
  closeSync(output);
  return child;
}

/** Waits until a file has some text. */
async function until(file: string, text: string): Promise<void> {
  while (readFileSync(file, 'utf8') !== text) await wait(10);
}

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

describe.each(SIGNALS)('dedupe --seen that is ended by %s', (signal) => {
  it('has saved what it has printed, even if no more text comes', async () => {
    const seen = path(`waiting-${signal}`);
    const output = path(`output-${signal}`);
    const child = startInto(output, ...argumentsFor(seen));
    child.stdin?.write('a\nb\na\nrest');
    await until(output, 'a\nb\n');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect((await runOn('a\nb\nrest\n', ...argumentsFor(seen))).stdout.toString()).toBe('rest\n');
  });

  it.each(['1', '2'])('has saved what it has printed in the middle of a text: %s threads', async (threads) => {
    const seen = path(`middle-${signal}-${threads}`);
    const child = start(...argumentsFor(seen), '--threads', threads);
    const parts: Buffer[] = [];
    child.stdout?.on('data', (part: Buffer) => {
      if (parts.push(part) === 20) child.kill(signal);
    });
    feed(child);
    expect(await once(child, 'close')).toEqual([null, signal]);
    const printed = Buffer.concat(parts).toString();
    const next = Number(printed.split('\n').at(-2)) + 1;
    expect(printed).toBe(numbers(0, next));
    const again = await runOn(numbers(0, next + 1000), ...argumentsFor(seen));
    expect(again.stdout.toString()).toBe(numbers(next, next + 1000));
  });

  it('has written nothing and saved nothing if it writes to a file', async () => {
    const { folder, path, remove } = temporaryFolder();
    const child = start(...argumentsFor(path('seen')), '-o', path('output'));
    child.stdin?.write('a\nb\n');
    // Once the file beside the output is there, the command reads.
    while (readdirSync(folder).length === 0) await wait(10);
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(readdirSync(folder)).toEqual([]);
    remove();
  });

  it('has saved a filter whose saving had begun', async () => {
    const seen = path(`saving-${signal}`);
    const child = start(...argumentsFor(seen));
    let isSent = false;
    const watcher = watch(folder).on('change', (_event, name) => {
      if (!String(name).startsWith(`.saving-${signal}`)) return;
      watcher.close();
      isSent = child.kill(signal);
    });
    child.stdin?.end('a\n');
    await once(child, 'close');
    expect(isSent).toBe(true);
    expect((await runOn('a\nb\n', ...argumentsFor(seen))).stdout.toString()).toBe('b\n');
  });
});

describe('dedupe --seen, interrupted', () => {
  it('ends at once by a second signal, and leaves the filter as it was', async () => {
    const seen = path('second');
    await runOn('old\n', ...argumentsFor(seen));
    const before = readFileSync(seen);
    const child = start(...argumentsFor(seen));
    // More than a pipe holds. Nobody reads on, so the first signal waits.
    child.stdin?.write(`${'x'.repeat(8e6)}\n`);
    await once(child.stdout as NodeJS.ReadableStream, 'readable');
    child.kill('SIGINT');
    await wait(200);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    child.stdout?.destroy();
    expect(readFileSync(seen).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('.second'))).toEqual([]);
  });

  it.each(['1', '2'])('leaves the filter as it was if its reader goes, and says so: %s threads', async (threads) => {
    const seen = path(`closed-${threads}`);
    const child = start(...argumentsFor(seen), '--threads', threads);
    let stderr = '';
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part;
    });
    child.stdout?.once('data', () => child.stdout?.destroy());
    feed(child);
    expect(await once(child, 'close')).toEqual([141, null]);
    expect(stderr).toBe(
      `bloomery: stdout was closed before all lines were written: '${seen}' was not saved, so they will be printed again\n`,
    );
    expect(existsSync(seen)).toBe(false);
  });

  it('ends at once by the first signal without --seen', async () => {
    const child = start('dedupe');
    child.stdin?.write('a\n');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });
});
