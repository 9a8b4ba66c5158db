// Processes of Node that write to stdout: run once, measured, and a text for them.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { seededRandom } from '../../examples/names.ts';
import { status } from './cli.ts';

const SEED = 1970;

export interface Text {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  readonly distinct: number;
}

export interface Measured {
  readonly seconds: number;
  /** Peak resident memory in bytes; 0 where the system has no /proc. */
  readonly peak: number;
}

/** Each number has its own URL, the same in every run. */
function urlOf(number: number): string {
  const mixed = Math.imul(number, 0x9e3779b1) >>> 0;
  return `https://www.site-${mixed % 50_021}.example/${mixed.toString(36)}/articles/${number}?page=${mixed % 97}\n`;
}

/** Writes URLs. About half of the lines repeat an earlier one, chosen with equal probability. */
export function writeUrls(path: string, bytes: number): Text {
  status('writing URLs …');
  const random = seededRandom(SEED);
  const file = openSync(path, 'w');
  let [written, lines, distinct] = [0, 0, 0];
  while (written < bytes) {
    let part = '';
    for (; part.length < 1e6 && written + part.length < bytes; lines++) {
      part += urlOf(distinct > 0 && random() < 0.5 ? Math.floor(random() * distinct) : distinct++);
    }
    written += writeSync(file, part);
  }
  closeSync(file);
  return { path, bytes: written, lines, distinct };
}

/** The peak resident memory of a running process, in bytes. */
function peakOf(id: number): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return 1024 * Number(kilobytes ?? 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

/** Runs Node with these arguments, and writes what it prints to a file. */
export async function measure(name: string, args: readonly string[], path: string): Promise<Measured> {
  status(`${name} …`);
  const output = openSync(path, 'w');
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', output, 'inherit'] });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 20);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(watch);
  closeSync(output);
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  return { seconds, peak };
}
