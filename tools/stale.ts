import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  // A folder's own time changes when a file in it is removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function oldest(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
}

/** Whether any output is missing, or older than any input. Inputs are files or whole folders. */
export function isStale(outputs: readonly string[], inputs: readonly string[]): boolean {
  return Math.min(...outputs.map(oldest)) < Math.max(...inputs.map(newest));
}
