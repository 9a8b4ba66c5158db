// SECURITY.md says that the package depends on no other.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

it('the package has no dependencies, and no scripts that run when it is installed', () => {
  expect(readFileSync('SECURITY.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain('The package has no dependencies');
  for (const name of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies']) {
    expect(manifest).not.toHaveProperty(name);
  }
  expect(
    Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^(pre|post)?prepare$/.test(name)),
  ).toEqual([]);
});

it('what it can work with is optional', () => {
  const names = Object.keys(manifest.peerDependencies);
  expect(Object.keys(manifest.peerDependenciesMeta).sort()).toEqual(names.sort());
  expect(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
});

it('npm lists nothing but the package itself in its bill of materials', () => {
  const [, named = ''] = /`npm (sbom [^`]+)`/.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
  const args = named.split(/\s+/);
  expect(args).toContain('--sbom-format=cyclonedx');
  const shell = process.platform === 'win32';
  const { components } = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', shell })) as { components: object[] };
  expect(components).toEqual([]);
});
