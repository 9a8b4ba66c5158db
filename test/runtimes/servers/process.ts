import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Target } from '../target.ts';
import { type Asset, assetOutcome } from './asset.ts';

/** What the program reports from inside a runtime. */
export interface Report {
  readonly program: 'Node' | 'Bun' | 'Deno';
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

const TIMEOUT_MS = 300_000;

const execute = promisify(execFile);

/** The path of a program that an npm package contains. */
export function installed(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

export interface ProcessOptions {
  /** As in `expected.ts`. */
  readonly name: string;
  /** As in `expected.ts`. */
  readonly runtime: string;
  /** What the program must call itself. */
  readonly program: Report['program'];
  readonly path: string;
  /** The arguments before the path of the module to run. */
  readonly args?: readonly string[];
  /** How modules get files that lie beside them. */
  readonly assets?: readonly Asset[];
}

/** A runtime that is one process. It runs `bloomery` as it is installed in `node_modules`, not bundled. */
export function processTarget({ name, runtime, program, path, args = [], assets = [] }: ProcessOptions): Target {
  return {
    name,
    async run() {
      const entry = fileURLToPath(new URL('inside.ts', import.meta.url));
      const module = await bundle({ entry, format: 'esm', platform: 'neutral', external: true });
      const options = { timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
      const { stdout } = await execute(path, [...args, module], options);
      const { outcomes, version, ...report } = JSON.parse(stdout) as Report;
      if (report.program !== program) throw new Error(`${path} is ${report.program}, not ${program}`);
      const more = await Promise.all(assets.map((asset) => assetOutcome(path, asset)));
      return [{ runtime, version, realm: 'process', outcomes: [...outcomes, ...more] }];
    },
  };
}
