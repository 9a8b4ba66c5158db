// Makes the vectors in test/vectors/migrate, from a package in the node_modules of a folder:
// `npx tsx test/migrate/make.ts bloom-filters bench > test/vectors/migrate/bloom-filters-3.0.4.json`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bloomFiltersIn,
  bloomFiltersSettings,
  bloomfilterIn,
  bloomfilterSettings,
  byteKeys,
  type Maker,
  membersFor,
  partitionedSettings,
  type Setting,
  strings,
} from './packages.ts';
import type { Vectors } from './vectors.ts';

const ofPackages = {
  'bloom-filters': { maker: bloomFiltersIn, settings: bloomFiltersSettings, takesBytes: true },
  bloomfilter: { maker: bloomfilterIn, settings: bloomfilterSettings, takesBytes: false },
};

const binary = (flags: readonly boolean[]): string => flags.map(Number).join('');

/** What a package saves for each setting, and what it answers. The first keys were added. */
export function vectorsOf(make: Maker, settings: readonly Setting[], takesBytes: boolean): Omit<Vectors, 'version'> {
  const keys = strings(300, 33);
  const bytes = takesBytes ? byteKeys(33) : [];
  const filters = settings.map((setting) => {
    const filter = make(setting);
    const members = Math.min(membersFor(setting), keys.length >> 1);
    // From the end, where the long ones are, so that short ones are absent too.
    for (const key of keys.slice(-members)) filter.add(key);
    for (const key of bytes.slice(0, members >> 2)) filter.add(key);
    return {
      ...filter.save(),
      members,
      strings: binary(keys.map((key) => filter.has(key))),
      bytes: binary(bytes.map((key) => filter.has(key))),
    };
  });
  return { strings: keys, bytes: bytes.map((key) => key.toString('hex')), filters };
}

const [name, folder = 'bench'] = process.argv.slice(2);
if (name === 'bloom-filters' || name === 'bloomfilter') {
  const { maker, settings, takesBytes } = ofPackages[name];
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  const all = name === 'bloom-filters' && !version.startsWith('2.') ? [...settings, ...partitionedSettings] : settings;
  console.log(JSON.stringify({ version, ...vectorsOf(await maker(folder), all, takesBytes) }, null, 1));
}
