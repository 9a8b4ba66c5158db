// Where addresses are limited, so that WebAssembly gets no memory by itself.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { afterAll, describe, expect, it } from 'vitest';
import { program, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

/** Only Linux keeps to the limit, and only these versions of Node can do without the addresses. */
const isPossible =
  process.platform === 'linux' && process.allowedNodeEnvironmentFlags.has('--disable-wasm-trap-handler');

describe.skipIf(!isPossible)('with few addresses', () => {
  const limited = (command: string, input = ''): string =>
    execFileSync('/bin/sh', ['-c', `ulimit -v 4000000; ${command}`], { input, encoding: 'utf8' });
  const bloomery = `'${process.execPath}' '${program}'`;

  it('a command works, in one thread whatever --threads says, and ends as otherwise', () => {
    writeFileSync(path('a.bloom'), BloomFilter.from(['a']).toBytes());
    expect(limited(`${bloomery} has '${path('a.bloom')}' a b; echo $?`)).toBe('a\n1\n');
    const lines = Array.from({ length: 90_000 }, (_, i) => `${i % 60_000}\n`);
    const once = lines.slice(0, 60_000).join('');
    for (const options of ['', '-p 1e-9 -n 100']) {
      expect(limited(`${bloomery} dedupe ${options} --threads 3`, lines.join(''))).toBe(once);
    }
  });

  it.each([
    ['SIGTERM', true],
    ['SIGINT', true],
    ['SIGHUP', true],
    ['SIGQUIT', false],
  ] as const)('%s reaches the command; that it has saved what it has printed is %s', async (signal, isSaved) => {
    const seen = path(`${signal}.bloom`);
    const command = `ulimit -v 4000000; ulimit -c 0; exec ${bloomery} dedupe --seen '${seen}' -n 9`;
    const child = spawn('/bin/sh', ['-c', command]);
    child.stdin.write('a\n');
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(existsSync(seen)).toBe(isSaved);
    if (isSaved) expect(FingerprintSet.fromBytes(readFileSync(seen)).has('a')).toBe(true);
  });
});
