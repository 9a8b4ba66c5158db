// Programs by which shells complete the words after `bloomery`, made from what defines the commands.

import { inQuotes } from '../command-error.ts';
import { type Command, type Option, withHelp } from './command.ts';

/** A word that can come next, and what it means. */
interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** Commands of two words, such as all that begin with `redis`. */
interface Group {
  readonly name: string;
  readonly words: readonly Word[];
}

const HELP: Word = { word: 'help', meaning: 'print the help text of a command' };

function groupsOf(commands: readonly Command[]): Group[] {
  const pairs = commands.flatMap(({ name, summary }) => {
    const [group = '', word] = name.split(' ');
    return word === undefined ? [] : [{ group, word, meaning: summary }];
  });
  return [...new Set(pairs.map(({ group }) => group))].map((name) => ({
    name,
    words: pairs.filter(({ group }) => group === name),
  }));
}

function firstWords(commands: readonly Command[]): Word[] {
  const single = commands.filter(({ name }) => !name.includes(' '));
  return [
    ...single.map(({ name, summary }) => ({ word: name, meaning: summary })),
    ...groupsOf(commands).map(({ name, words }) => ({ word: name, meaning: joined(words, ', ') })),
    HELP,
  ];
}

function joined(words: readonly Word[], separator = ' '): string {
  return words.map(({ word }) => word).join(separator);
}

function optionsOf(command: Command): [name: string, option: Option<unknown>][] {
  return Object.entries(withHelp(command.options));
}

/** All that the operands can be; nothing if the list would be long. */
function operandChoices({ operands }: Command): readonly string[] {
  return operands.flatMap(({ choices = [] }) => choices);
}

/** Where nothing is offered, Bash offers files. Bash 3.2, which macOS has, runs it too. */
function forBash(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const afterOption = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, { short, argument, choices = [] }]) => {
      if (argument === undefined) return [];
      const flags = [...(short ? [`-${short}`] : []), `--${name}`].map((flag) => `'${command.name} ${flag}'`);
      return `${flags.join('|')}) words='${choices.join(' ')}' ;;`;
    }),
  );
  const others = [
    `'help '*) words='${joined(firstWords(commands))}' ;;`,
    ...commands.flatMap((command) => {
      const names = optionsOf(command).map(([name]) => `--${name}`);
      return [
        `'${command.name} -'*) words='${names.join(' ')}' ;;`,
        `'${command.name} '*) words='${operandChoices(command).join(' ')}' ;;`,
      ];
    }),
    // The commands of a group begin with its name, so that they must come first.
    ...groups.map(({ name, words }) => `'${name} '*) words='${joined(words)}' ;;`),
  ];
  const lines = (arms: readonly string[], indent: string): string => arms.map((arm) => `${indent}${arm}\n`).join('');
  return `# bash completion for bloomery

_bloomery() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=''
  # The equals sign of --kind=classic is a word of its own.
  if [[ $word == = ]]; then word=''
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $command in ${groups.map(({ name }) => name).join('|')})
    if (( COMP_CWORD > 2 )); then command+=" \${COMP_WORDS[2]}"; fi ;;
  esac
  if (( COMP_CWORD == 1 )); then
    words='${joined(firstWords(commands))}'
  else
    case "$command $previous" in
${lines(afterOption, '      ')}      *) case "$command $word" in
${lines(others, '        ')}      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _bloomery bloomery
`;
}

/** In single quotes, with the characters escaped that have a meaning in the specifications of Zsh. */
function quotedForZsh(text: string, escaped: RegExp): string {
  return inQuotes(text.replace(escaped, '\\$&'));
}

function described(words: readonly Word[]): string {
  return words.map(({ word, meaning }) => quotedForZsh(`${word}:${meaning}`, /\\/g)).join(' ');
}

function argumentsForZsh(command: Command): string {
  const action = (choices: readonly string[]): string => (choices.length > 0 ? `(${choices.join(' ')})` : '_files');
  const options = optionsOf(command).map(([name, { short, argument, description, repeated, choices = [] }]) => {
    const meaning = description.replace(/[\\[\]:]/g, '\\$&');
    const value = argument === undefined ? '' : `:${argument}:${action(choices)}`;
    const equals = argument === undefined ? '' : '=';
    const tail = quotedForZsh(`[${meaning}]${value}`, /(?!)/g);
    if (short) return `'(-${short} --${name})'{-${short},--${name}${equals}}${tail}`;
    return `${repeated ? "'*'" : ''}--${name}${equals}${tail}`;
  });
  return [...options, `'*:argument:${action(operandChoices(command))}'`].join(' \\\n        ');
}

function forZsh(commands: readonly Command[]): string {
  const groups = groupsOf(commands).map(
    ({ name, words }) => `  if [[ $command == ${name} ]]; then
    if (( CURRENT == 2 )); then
      words_that_follow=(${described(words)})
      _describe command words_that_follow
      return
    fi
    command+=" $words[2]"
    shift words
    (( CURRENT-- ))
  fi
`,
  );
  const cases = commands.map(
    (command) => `    '${command.name}')\n      _arguments -s \\\n        ${argumentsForZsh(command)} ;;\n`,
  );
  return `#compdef bloomery

_bloomery() {
  local -a words_that_follow
  words_that_follow=(${described(firstWords(commands))})
  if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]] }; then
    _describe command words_that_follow
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
${groups.join('')}  case $command in
${cases.join('')}  esac
}

if [[ $funcstack[1] == _bloomery ]]; then _bloomery "$@"; else compdef _bloomery bloomery; fi
`;
}

function forFish(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const offer = (condition: string, { word, meaning }: Word): string =>
    `complete -c bloomery -n ${quoted(condition)} -f -a ${word} -d ${quoted(meaning)}`;
  const lines = [
    ...firstWords(commands).map((word) => offer('__bloomery_after', word)),
    ...firstWords(commands).map((word) => offer('__bloomery_after help', word)),
    ...groupsOf(commands).flatMap(({ name, words }) => words.map((word) => offer(`__bloomery_after ${name}`, word))),
    ...commands.flatMap((command) => {
      const start = `complete -c bloomery -n ${quoted(`__bloomery_in ${command.name}`)}`;
      const options = optionsOf(command).map(([name, { short, argument, description, choices = [] }]) => {
        const letter = short ? ` -s ${short}` : '';
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : argument === undefined ? '' : ' -r';
        return `${start} -l ${name}${letter}${value} -d ${quoted(description)}`;
      });
      const choices = operandChoices(command);
      return choices.length > 0 ? [...options, `${start} -f -a ${quoted(choices.join(' '))}`] : options;
    }),
  ];
  return `# fish completion for bloomery

# Whether just these words have been written after the program.
function __bloomery_after
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end

# Whether the command is this one.
function __bloomery_in
    set -l words (commandline -opc)
    test "$words[2..$(math 1 + (count $argv))]" = "$argv"
end

${lines.join('\n')}
`;
}

/** The shells for which there is a program. */
export const shells = { bash: forBash, zsh: forZsh, fish: forFish } as const;
