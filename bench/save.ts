import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Report } from './results.ts';

const require = createRequire(import.meta.url);

/** Writes the results next to this file, formatted as `npm run check` requires. */
export function saveResults(name: string, report: Report): void {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const rounded = JSON.stringify(report, (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value,
  );
  writeFileSync(path, rounded);
  execFileSync(process.execPath, [require.resolve('@biomejs/biome/bin/biome'), 'format', '--write', path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
