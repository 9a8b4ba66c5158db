#!/usr/bin/env node
import { createRequire } from 'node:module';
import { addCommand } from './add.ts';
import { buildCommand } from './build.ts';
import { dedupeCommand } from './dedupe.ts';
import { CommandError, fail, quote } from './errors.ts';
import { hasCommand } from './has.ts';
import { programHelp } from './help.ts';
import { infoCommand } from './info.ts';
import { mergeCommand } from './merge.ts';
import { nearest } from './nearest.ts';
import { omitCommand } from './omit.ts';
import { watchOutput, write } from './output.ts';
import { pickCommand } from './pick.ts';
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
];

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

/** Runs the command with its arguments: those of the program. */
async function run([name = '', ...args]: readonly string[]): Promise<void> {
  if (name === '--version' || name === '-V') {
    const { version }: { version: string } = createRequire(import.meta.url)('bloomery/package.json');
    await write(`${version}\n`);
    return;
  }
  const isHelp = ['help', '--help', '-h'].includes(name);
  if (isHelp && [undefined, 'help', '--help', '-h'].includes(args[0])) {
    await write(help());
    return;
  }
  const wanted = isHelp ? (args[0] ?? '') : name;
  const command = commands.find((each) => each.name === wanted);
  if (command) {
    await command.run(isHelp ? ['--help'] : args);
    return;
  }
  const names = commands.map((each) => each.name);
  const similar = nearest(wanted, names);
  const hint = similar ? `did you mean ${similar}?` : `the commands are ${names.join(', ')}`;
  throw new CommandError(`unknown command ${quote(wanted)}; ${hint}`);
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
