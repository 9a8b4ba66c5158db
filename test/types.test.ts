import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the declarations accept correct code and refuse incorrect code', () => {
  // Compiles with the library declarations of 2022 only, as an older project does.
  const tsc = 'node_modules/typescript/bin/tsc';
  const args = [tsc, '-p', 'test/types', '--pretty', 'false', '--extendedDiagnostics'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const reported = new Set([...stdout.matchAll(/refused\.ts\((\d+),/g)].map((match) => Number(match[1])));
  const refused = readFileSync('test/types/refused.ts', 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.endsWith('// refused') ? [i + 1] : []));
  expect(
    [...reported].sort((a, b) => a - b),
    stdout,
  ).toEqual(refused);
  expect(stdout.match(/error TS/g)?.length, stdout).toBe(refused.length);
  // Many types slow down the compiler, and so editors: comparing the classes with `Filter` once made a million of
  // them.
  expect(Number(/^Types: +(\d+)$/m.exec(stdout)?.[1])).toBeLessThan(100_000);
});

it('the declarations compile in a project for Node, without the types of browsers', () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'test/types/tsconfig.node.json', '--pretty', 'false'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
});
