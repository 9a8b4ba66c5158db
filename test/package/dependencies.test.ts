// SECURITY.md says that the package depends on no other.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: object;
  readonly peerDependencies: object;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

it('the package has no dependencies that are not optional, and no scripts that run when it is installed', () => {
  for (const name of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies']) {
    expect(manifest).not.toHaveProperty(name);
  }
  const names = Object.keys(manifest.scripts);
  expect(names.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  const peers = Object.keys(manifest.peerDependencies);
  expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
});

it('npm lists nothing but the package itself in its bill of materials', () => {
  const [, named = ''] = /`npm (sbom [^`]+)`/.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
  const args = named.split(/\s+/);
  expect(args).toContain('--sbom-format=cyclonedx');
  const shell = process.platform === 'win32';
  const { components } = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', shell })) as { components: object[] };
  expect(components).toEqual([]);
});
