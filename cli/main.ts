#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { buildCommand } from './build.ts';
import { dedupeCommand } from './dedupe.ts';
import { fail, say } from './errors.ts';
import { infoCommand } from './info.ts';
import { mergeCommand } from './merge.ts';
import { omitCommand } from './omit.ts';
import { examples } from './options.ts';
import { watchOutput } from './output.ts';
import { pickCommand } from './pick.ts';
import { sizeCommand } from './size.ts';

const commands = [
  buildCommand(),
  pickCommand(),
  omitCommand(),
  dedupeCommand(),
  infoCommand(),
  sizeCommand(),
  mergeCommand(),
];

const { version }: { version: string } = createRequire(import.meta.url)('bloomery/package.json');

const program = new Command('bloomery')
  .description('Bloom filters for the lines of files: find which are in a set, which are not, and which are new.')
  .version(version)
  .helpCommand(false)
  .exitOverride()
  .configureOutput({ outputError: (text) => say(text.replace(/^error: /, '')) })
  .addHelpText(
    'after',
    examples(
      'bloomery build names.txt -o names.bloom',
      'bloomery pick names.bloom wanted.txt',
      'bloomery dedupe --capacity 1e6 urls.txt > unique.txt',
      'bloomery COMMAND --help',
    ),
  );
for (const command of commands) program.addCommand(command.copyInheritedSettings(program));

watchOutput(fail);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error);
  // Commander has already printed its own errors.
  else if (error.exitCode !== 0) process.exitCode = 2;
}
