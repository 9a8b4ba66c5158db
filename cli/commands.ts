// The commands, in the order of the help text.

import type { Command } from './args/command.ts';
import { addCommand } from './commands/add.ts';
import { buildCommand } from './commands/build.ts';
import { completionCommand } from './commands/completion.ts';
import { dedupeCommand } from './commands/dedupe.ts';
import { getCommand } from './commands/get.ts';
import { hasCommand } from './commands/has.ts';
import { infoCommand } from './commands/info.ts';
import { omitCommand, pickCommand } from './commands/look-up.ts';
import { mergeCommand } from './commands/merge.ts';
import { sizeCommand } from './commands/size.ts';
import { redisCheckCommand } from './redis/check.ts';
import { redisDeleteCommand } from './redis/delete.ts';
import { redisInfoCommand } from './redis/info.ts';
import { redisListCommand } from './redis/list.ts';
import { redisPullCommand } from './redis/pull.ts';
import { redisPushCommand } from './redis/push.ts';
import { redisRepairCommand } from './redis/repair.ts';

const working: readonly Command[] = [
  buildCommand,
  addCommand,
  hasCommand,
  getCommand,
  pickCommand,
  omitCommand,
  dedupeCommand,
  infoCommand,
  sizeCommand,
  mergeCommand,
  redisPushCommand,
  redisPullCommand,
  redisInfoCommand,
  redisListCommand,
  redisCheckCommand,
  redisRepairCommand,
  redisDeleteCommand,
];

export const commands: readonly Command[] = [...working, completionCommand(working)];
