// A project that has installed the package from its tarball, and what bundlers make of its apps.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { install } from '../../../tools/install.ts';
import { installIn } from '../published.ts';

const FOLDER = 'test/package/bundlers';

/** The arguments with which a bundler writes apps for a page to a folder, as modules. */
type Args = (apps: readonly string[], out: string) => readonly string[];

// The configurations of Vite, webpack and Rollup read the apps and the folder from the environment.
export const bundlers = {
  vite: (_, out) => ['build', '--outDir', out],
  webpack: () => [],
  // Without a target, esbuild relies on `Uint8Array.fromBase64`, which few browsers have.
  esbuild: (apps, out) => [...apps, '--bundle', '--splitting', '--format=esm', '--target=es2022', `--outdir=${out}`],
  rollup: () => ['--config', 'rollup.config.js', '--plugin', 'node-resolve={ browser: true }'],
  parcel: (apps, out) => ['build', ...apps, '--no-cache', '--target', 'page', '--dist-dir', out],
} satisfies Readonly<Record<string, Args>>;

export type Bundler = keyof typeof bundlers;

/** Apps that were built. */
export interface Built {
  readonly out: string;
  /** All files in it. */
  readonly files: readonly string[];
  /** The file that a page would load for an app. */
  entryOf(app: string): string;
}

export class BundlerProject {
  readonly #root = mkdtempSync(join(tmpdir(), 'bloomery-bundlers-'));
  readonly folder: string = join(this.#root, 'project');
  #builds = 0;

  constructor() {
    install(FOLDER);
    cpSync(join(FOLDER, 'project'), this.folder, { recursive: true });
    installIn(this.folder);
  }

  /**
   * Builds apps together, each given as its path in the project.
   *
   * @param env variables that the configurations read
   */
  build(bundler: Bundler, apps: readonly string[], env: Readonly<Record<string, string>> = {}): Built {
    // Not in the project, so that a bundle finds no package that it failed to include.
    const out = join(this.#root, `${bundler}-${this.#builds++}`);
    mkdirSync(out);
    writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
    const args = bundlers[bundler](apps, out);
    execFileSync(resolve(FOLDER, 'node_modules/.bin', bundler), args, {
      cwd: this.folder,
      env: { ...process.env, APPS: apps.join(' '), OUT: out, ...env },
      stdio: 'pipe',
      shell: process.platform === 'win32',
    });
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
    const entryOf = (app: string): string => {
      const name = new RegExp(`^${basename(app, '.js')}\\b.*\\.m?js$`);
      return files.find((file) => name.test(basename(file))) as string;
    };
    return { out, files, entryOf };
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
