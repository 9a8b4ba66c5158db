// The addresses of the project, from package.json. The site has no link to one that package.json does not name.

import { readFileSync } from 'node:fs';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: string | { readonly url: string };
  readonly homepage?: string;
}

export interface Project {
  readonly name: string;
  readonly version: string;
  /** The page of the package on npm. */
  readonly npm: string;
  /** The page of the repository. */
  readonly repository: string | undefined;
  /** The address of this site, with a slash at its end. */
  readonly site: string | undefined;
}

/** @throws TypeError if an address is no URL */
export function projectOf(manifest: Manifest): Project {
  const { name, version, repository, homepage } = manifest;
  const source = typeof repository === 'object' ? repository.url : repository;
  return {
    name,
    version,
    npm: `https://www.npmjs.com/package/${name}`,
    repository: source && new URL(source.replace(/^git\+|\.git$/g, '')).href,
    site: homepage && new URL(homepage.replace(/[?#].*$/, '').replace(/\/*$/, '/')).href,
  };
}

export const project: Project = projectOf(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
);
