// A project that has installed the package from its tarball, and what bundlers make of its apps.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const FOLDER = 'test/package/bundlers';

/** How to build an app. */
export interface Build {
  /** The bundler's command. */
  readonly bundler: string;
  /** The app's path in the project. */
  readonly app: string;
  /** The arguments with which the bundler writes the app to a folder, as modules. */
  args(app: string, out: string): string[];
  /** Variables of the environment that its configuration reads. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The arguments with which each bundler writes an app for a page. */
export const bundlers = {
  vite: (_, out) => ['build', '--outDir', out],
  webpack: (app, out) => [
    ...[`./${app}`, '--mode', 'production', '--output-path', out],
    ...['--target', 'web', '--target', 'es2022', '--output-module', '--experiments-output-module'],
  ],
  esbuild: (app, out) => [app, '--bundle', '--splitting', '--format=esm', `--outdir=${out}`],
  rollup: (app, out) => [app, '--plugin', 'node-resolve={ browser: true }', '--format', 'es', '--dir', out],
  parcel: (app, out) => ['build', app, '--no-cache', '--target', 'page', '--dist-dir', out],
} satisfies Readonly<Record<string, Build['args']>>;

/** An app that was built. */
export interface Built {
  readonly out: string;
  /** The files of JavaScript in it. */
  readonly files: readonly string[];
  /** The file that a page would load. */
  readonly entry: string;
}

export class BundlerProject {
  readonly #root = mkdtempSync(join(tmpdir(), 'bloomery-bundlers-'));
  readonly folder: string = join(this.#root, 'project');
  #builds = 0;

  /** Installs the bundlers, and packs and installs the package. */
  constructor() {
    this.run(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/install.ts', FOLDER], '.');
    cpSync(join(FOLDER, 'project'), this.folder, { recursive: true });
    this.run('npm', ['pack', '--ignore-scripts', '--pack-destination', this.#root], '.');
    const tarball = readdirSync(this.#root).find((name) => name.endsWith('.tgz'));
    this.run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join('..', tarball as string)]);
  }

  run(command: string, args: readonly string[], cwd: string = this.folder, env: Build['env'] = {}): string {
    const shell = process.platform === 'win32';
    return execFileSync(command, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
      shell,
    });
  }

  build({ bundler, app, args, env = {} }: Build): Built {
    // Not in the project, so that a bundle finds no package that it failed to include.
    const out = join(this.#root, `${bundler}-${this.#builds++}`);
    mkdirSync(out);
    writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
    this.run(resolve(FOLDER, 'node_modules/.bin', bundler), args(app, out), this.folder, {
      APP: app,
      OUT: out,
      ...env,
    });
    const all = readdirSync(out, { recursive: true, encoding: 'utf8' });
    const files = all.filter((file) => /\.m?js$/.test(file));
    const name = basename(app, '.js');
    const entry = files.find((file) => new RegExp(`^(${name}|main)\\b`).test(basename(file))) as string;
    return { out, files, entry };
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
