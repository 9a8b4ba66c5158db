// The addresses of the project, from package.json. The site has no link to one that package.json does not name.

import { readFileSync } from 'node:fs';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: string | { readonly url: string };
  readonly homepage?: string;
}

export type Project = ReturnType<typeof projectOf>;

/** @throws TypeError if an address is no URL */
export function projectOf({ name, version, repository, homepage }: Manifest) {
  const source = typeof repository === 'object' ? repository.url : repository;
  return {
    name,
    version,
    /** The page of the package on npm. */
    npm: `https://www.npmjs.com/package/${name}`,
    /** The page of the repository. */
    repository: source && new URL(source.replace(/^git\+|\.git$/g, '')).href,
    /** The address of this site, with a slash at its end. */
    site: homepage && new URL(homepage.replace(/[?#].*$/, '').replace(/\/*$/, '/')).href,
  };
}

export const project = projectOf(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
