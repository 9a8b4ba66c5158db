// Defines the versions of the compared packages as constants in the site's code.

import { readFileSync } from 'node:fs';

function versionIn(path: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  return JSON.stringify(version);
}

export const versions: Readonly<Record<string, string>> = {
  BLOOMERY_VERSION: versionIn('../../package.json'),
  BLOOMFILTER_VERSION: versionIn('../node_modules/bloomfilter/package.json'),
};
