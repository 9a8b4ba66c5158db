import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Report } from './results.ts';

/** The benchmarks whose results can be saved, in a file for each major version of Node. */
type Benchmark = 'results' | 'peers';

const require = createRequire(import.meta.url);
const FOLDER: string = import.meta.dirname;

/** 20 for v20.20.2 */
function majorVersion({ machine }: Report): number {
  return Number.parseInt(machine.node.slice(1), 10);
}

/** Writes the results next to this file, formatted as `npm run check` requires. */
export function saveResults(benchmark: Benchmark, report: Report): void {
  const path = join(FOLDER, `${benchmark}-node${majorVersion(report)}.json`);
  const rounded = JSON.stringify(report, (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value,
  );
  writeFileSync(path, rounded);
  execFileSync(process.execPath, [require.resolve('@biomejs/biome/bin/biome'), 'format', '--write', path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The saved results of a benchmark, those on the newest version of Node first. */
export function savedResults(benchmark: Benchmark): Report[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${benchmark}-node`))
    .map((name): Report => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
    .sort((a, b) => majorVersion(b) - majorVersion(a));
}
