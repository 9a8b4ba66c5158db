// What reads input from outside, whose hostile forms are too many to list. A new reader is one more row here.

import { fileReaders, foreignReaders } from './readers/files.ts';
import { mapReaders } from './readers/maps.ts';
import { redisReaders } from './readers/redis.ts';
import { setReaders } from './readers/sets.ts';
import { keyReaders, textReaders } from './readers/texts.ts';
import type { Reader } from './subject.ts';

export const readers: readonly Reader[] = [
  ...fileReaders,
  ...foreignReaders,
  ...keyReaders,
  ...redisReaders,
  ...textReaders,
  ...setReaders,
  ...mapReaders,
];
