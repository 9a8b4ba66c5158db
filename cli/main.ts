#!/usr/bin/env node
import { createRequire } from 'node:module';
import { needsOption, runWithOption } from './address-space.ts';
import type { Command } from './args/command.ts';
import { groupHelp, programHelp } from './args/help.ts';
import { commands } from './commands.ts';
import { CommandError, fail, quote } from './errors.ts';
import { watchOutput, write } from './filters/output.ts';
import { hintAt } from './nearest.ts';
import { closePipes } from './text/input.ts';

const HELP = ['help', '--help', '-h'];
const VERSION = ['version', '--version', '-V', '-v'];

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
  const [first, ...args] = words;
  const single = commands.find(({ name }) => name === first);
  if (single) return { command: single, args };
  const [second, ...others] = args;
  const double = commands.find(({ name }) => name === `${first} ${second}`);
  return double && { command: double, args: others };
}

/** An error for words that name no command of a group, such as all that begin with `redis`. */
function unknown(words: readonly string[], group: readonly Command[]): CommandError {
  const [first = '', second] = words;
  if (/^-./.test(first)) {
    const hint = hintAt(first, [...HELP, ...VERSION]) || '; a command comes first, and its options follow';
    return new CommandError(`unknown option ${first}${hint}`);
  }
  const wanted = group.length < commands.length && second !== undefined ? `${first} ${second}` : first;
  const names = group.map((each) => each.name);
  const isGroup = names.some((each) => each.startsWith(`${wanted} `));
  const hint = isGroup ? '' : hintAt(wanted, [...names, 'help', 'version']);
  return new CommandError(`unknown command ${quote(wanted)}${hint || `; the commands are ${names.join(', ')}`}`);
}

/** Prints the help on stderr, because the command is missing. */
function refuse(help: string): void {
  process.stderr.write(help);
  process.exitCode = 2;
}

/** Runs the command with its arguments: those of the program. */
async function run(words: readonly string[]): Promise<void> {
  const [name = '', ...others] = words;
  const [second] = others;
  if (VERSION.includes(name)) {
    const { version }: { version: string } = createRequire(import.meta.url)('bloomery/package.json');
    await write(`${version}\n`);
    return;
  }
  const isHelp = HELP.includes(name);
  if (isHelp && (second === undefined || HELP.includes(second))) {
    await write(help());
    return;
  }
  const wanted = isHelp ? others : words;
  const found = find(wanted);
  if (found) {
    await found.command.run(isHelp ? ['--help'] : found.args);
    return;
  }
  const [word = ''] = wanted;
  const group = commands.filter((each) => each.name.startsWith(`${word} `));
  if (group.length === 0) throw unknown(wanted, commands);
  const text = groupHelp(word, group);
  if (isHelp ? others.length === 1 : HELP.includes(second ?? '')) await write(text);
  else if (second === undefined) refuse(text);
  else throw unknown(wanted, group);
}

watchOutput(fail);
const [, , ...args] = process.argv;
if (args.length === 0) {
  refuse(help());
} else if (needsOption()) {
  await runWithOption().catch(fail);
} else {
  await run(args).catch(fail);
  closePipes();
}
