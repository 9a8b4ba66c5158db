import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the declarations accept what is right and refuse what is wrong', () => {
  // With the libraries of 2022 alone, as a project of some age has them.
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
  // What makes the compiler, and so an editor, slow: it once made a million to compare the classes with `Filter`.
  expect(Number(/^Types: +(\d+)$/m.exec(stdout)?.[1])).toBeLessThan(100_000);
});
