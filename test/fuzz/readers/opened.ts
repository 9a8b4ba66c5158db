// Files of each kind that are looked up without being loaded.

import { loadAny } from '../../../src/entries/load.ts';
import { openFilter, type RangeSource } from '../../../src/entries/open.ts';
import { classes } from '../../open/filters.ts';
import { areSame, attempt, attemptLater, type Reader, require } from '../subject.ts';
import { damagedFile, isRefusal, savedFiles } from './files.ts';

const TOMBSTONE = 11;
const KEYS = Array.from({ length: 30 }, (_, i) => `key ${i}`);

/** The bytes of a file, of which nothing may be asked that is outside of it. */
function sourceOf(file: Uint8Array): RangeSource {
  return {
    size: file.length,
    gap: 0,
    async read(offset, length) {
      const isInside = offset >= 0 && length > 0 && offset + length <= file.length;
      require(isInside, `the ${length} bytes from ${offset} on are in a file of ${file.length}`);
      return file.subarray(offset, offset + length);
    },
  };
}

const opened: Reader = {
  name: 'file that is not loaded',
  share: 3000,
  async run(subject) {
    const file = damagedFile(subject.random, savedFiles);
    subject.input = file;
    const filter = await attemptLater(() => openFilter(classes, sourceOf(file)), isRefusal);
    const loaded = file[5] === TOMBSTONE ? undefined : attempt(() => loadAny(classes, file), isRefusal);
    require(filter !== undefined || loaded === undefined, 'a file that can be loaded can be opened');
    if (filter === undefined) return 'refused';
    const flags = await filter.hasMany(KEYS);
    if (loaded) {
      require(areSame(flags, loaded.hasMany(KEYS)), 'it answers as in memory');
      loaded.dispose();
      await filter.verify();
    }
    await filter.close();
    return 'read';
  },
};

export const openedReaders: readonly Reader[] = [opened];
