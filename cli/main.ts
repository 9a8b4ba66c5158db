#!/usr/bin/env node
import { createRequire } from 'node:module';
import { addCommand } from './add.ts';
import { buildCommand } from './build.ts';
import type { Command } from './command.ts';
import { dedupeCommand } from './dedupe.ts';
import { CommandError, fail, quote } from './errors.ts';
import { hasCommand } from './has.ts';
import { commandHelp, programHelp } from './help.ts';
import { infoCommand } from './info.ts';
import { mergeCommand } from './merge.ts';
import { nearest } from './nearest.ts';
import { omitCommand } from './omit.ts';
import { watchOutput, write } from './output.ts';
import { pickCommand } from './pick.ts';
import { redisInfoCommand } from './redis/info.ts';
import { redisPullCommand } from './redis/pull.ts';
import { redisPushCommand } from './redis/push.ts';
import { sizeCommand } from './size.ts';

const commands = [
  buildCommand,
  addCommand,
  hasCommand,
  pickCommand,
  omitCommand,
  dedupeCommand,
  infoCommand,
  sizeCommand,
  mergeCommand,
  redisPushCommand,
  redisPullCommand,
  redisInfoCommand,
];

const HELP = ['help', '--help', '-h'];

function help(): string {
  return programHelp(
    'Bloom filters for the lines of files: find which are in a set, which are not, and which are new.',
    commands,
    [
      'bloomery build names.txt -o names.bloom',
      'bloomery pick names.bloom wanted.txt',
      'bloomery dedupe urls.txt > unique.txt',
    ],
  );
}

/** The command that the first words name, which may be two of them, and the words that follow. */
function find(words: readonly string[]): { command: Command; args: readonly string[] } | undefined {
  const lengthOf = ({ name }: Command): number => name.split(' ').length;
  const command = commands.find((each) => words.slice(0, lengthOf(each)).join(' ') === each.name);
  return command && { command, args: words.slice(lengthOf(command)) };
}

/** An error for words that name no command of a group, such as all that begin with `redis`. */
function unknown(words: readonly string[], group: readonly Command[]): CommandError {
  const wanted = words.slice(0, group.length < commands.length ? 2 : 1).join(' ');
  const names = group.map((each) => each.name);
  const similar = names.some((each) => each.startsWith(`${wanted} `)) ? undefined : nearest(wanted, names);
  const hint = similar ? `did you mean ${similar}?` : `the commands are ${names.join(', ')}`;
  return new CommandError(`unknown command ${quote(wanted)}; ${hint}`);
}

/** Runs the command with its arguments: those of the program. */
async function run(words: readonly string[]): Promise<void> {
  const [name = '', second] = words;
  if (name === '--version' || name === '-V') {
    const { version }: { version: string } = createRequire(import.meta.url)('bloomery/package.json');
    await write(`${version}\n`);
    return;
  }
  const isHelp = HELP.includes(name);
  if (isHelp && (second === undefined || HELP.includes(second))) {
    await write(help());
    return;
  }
  const wanted = isHelp ? words.slice(1) : words;
  const found = find(wanted);
  if (found) {
    await found.command.run(isHelp ? ['--help'] : found.args);
    return;
  }
  const group = commands.filter((each) => each.name.startsWith(`${wanted[0]} `));
  const asksForGroup = isHelp ? wanted.length === 1 : HELP.includes(wanted[1] ?? '');
  if (group.length > 0 && asksForGroup) await write(group.map(commandHelp).join('\n'));
  else throw unknown(wanted, group.length > 0 ? group : commands);
}

watchOutput(fail);
const args = process.argv.slice(2);
if (args.length === 0) {
  process.stderr.write(help());
  process.exitCode = 2;
} else {
  await run(args).catch(fail);
  // Else an open pipe, of which nothing more is read, would keep the program from ending.
  process.stdin.destroy();
}
