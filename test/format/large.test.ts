import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { indicesOf } from '../shared/oracle.ts';
import { HEADER, keysOf, MIB } from './saved.ts';
import type { Transferred } from './transfer.ts';

const BITS = 9_585_058_378;

function run(mode: 'write' | 'read', file: string): Transferred {
  const script = join(import.meta.dirname, 'transfer.ts');
  const options = { encoding: 'utf8', timeout: 120_000 } as const;
  return JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', script, mode, file], options)) as Transferred;
}

it('saving or loading a filter of 1.2 GB takes 64 MB besides its own memory', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
  try {
    const { bavail, bsize } = statfsSync(folder);
    expect(bavail * bsize, 'bytes free on the disk').toBeGreaterThan(1.5e9);
    const file = join(folder, 'large.blmy');
    const indices = new Set(keysOf(1000).flatMap((key) => indicesOf(key, BITS, 7, 0)));
    for (const mode of ['write', 'read'] as const) {
      const { bodyBytes, baseline, peak, seconds, fillRatio, found } = run(mode, file);
      const extra = peak - baseline - bodyBytes;
      const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;
      console.log(
        `${mode}: ${mib(bodyBytes)} in ${seconds.toFixed(1)} s; peak ${mib(peak)}, runtime ${mib(baseline)}, extra ${mib(extra)}`,
      );
      expect(bodyBytes).toBe(Math.ceil(BITS / 8));
      expect(statSync(file).size).toBe(HEADER + bodyBytes);
      expect(extra).toBeLessThan(64 * MIB);
      expect(found).toBe(1000);
      expect(fillRatio * BITS).toBeCloseTo(indices.size, 3);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
