// Everything that reads input from outside. A new reader is one more row here.

import { argumentReaders } from './readers/cli-arguments.ts';
import { textReaders } from './readers/cli-texts.ts';
import { deltaReaders } from './readers/delta.ts';
import { fileReaders } from './readers/files.ts';
import { foreignReaders } from './readers/foreign.ts';
import { keyReaders } from './readers/keys.ts';
import { lineReaders } from './readers/line-streams.ts';
import { migrateReaders } from './readers/migrate.ts';
import { openedReaders } from './readers/opened.ts';
import { redisParameterReaders } from './readers/redis-parameters.ts';
import { redisReplyReaders } from './readers/redis-replies.ts';
import { sharedReaders } from './readers/shared.ts';
import type { Reader } from './subject.ts';

export const readers: readonly Reader[] = [
  ...fileReaders,
  ...openedReaders,
  ...deltaReaders,
  ...foreignReaders,
  ...keyReaders,
  ...lineReaders,
  ...sharedReaders,
  ...migrateReaders,
  ...redisParameterReaders,
  ...redisReplyReaders,
  ...argumentReaders,
  ...textReaders,
];
