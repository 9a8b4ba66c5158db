import { type Command, type Description, flagsOf, type Operand, withHelp } from './command.ts';

const WIDTH = 80;

/** Breaks a text into lines of at most `width` characters, between words. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => `${wrap(line, WIDTH).join('\n')}\n`)
    .join('');
}

/** A heading with two columns below it, the second one wrapped. */
function section(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  const indent = 4 + Math.max(...rows.map(([term]) => term.length));
  const lines = rows.flatMap(([term, text]) =>
    wrap(text, WIDTH - indent).map((line, i) => `${(i === 0 ? `  ${term}` : '').padEnd(indent)}${line}\n`),
  );
  return `\n${title}:\n${lines.join('')}`;
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function shownOperand({ name, optional, repeated }: Operand): string {
  const inside = repeated ? `${name}...` : name;
  return optional ? `[${inside}]` : `<${inside}>`;
}

/** `build -o <file> [options] [files...]` */
export function usageOf({ name, options, operands }: Description): string {
  const required = Object.entries(options)
    .filter(([, option]) => option.required)
    .map(([long, { short, argument }]) => `${short ? `-${short}` : `--${long}`} <${argument}>`);
  return [name, ...required, '[options]', ...operands.map(shownOperand)].join(' ');
}

/** The help text of one command. */
export function commandHelp(command: Description): string {
  const operands = command.operands.map(({ name, description }) => [name, description] as const);
  const options = Object.entries(withHelp(command.options)).map(([name, option]) => {
    const { argument, description, required } = option;
    const flags = argument === undefined ? flagsOf(name, option) : `${flagsOf(name, option)} <${argument}>`;
    return [flags, required ? `${description} (required)` : description] as const;
  });
  return (
    `Usage: bloomery ${usageOf(command)}\n\n` +
    paragraphs(command.description) +
    section('Arguments', operands) +
    section('Options', options) +
    examples(command.examples)
  );
}

const commandsSection = (commands: readonly Command[]): string =>
  section(
    'Commands',
    commands.map(({ name, summary }) => [name, summary]),
  );

/** The help text of the commands that begin with one word, such as `redis`. */
export function groupHelp(word: string, commands: readonly Command[]): string {
  return (
    `Usage: bloomery ${word} <command> [options] [arguments]\n` +
    commandsSection(commands) +
    section('Options', [['-h, --help', `print this help; bloomery help ${word} <command> prints that of a command`]])
  );
}

/** The help text of the program. */
export function programHelp(description: string, commands: readonly Command[], lines: readonly string[]): string {
  return (
    'Usage: bloomery <command> [options] [arguments]\n\n' +
    paragraphs(description) +
    commandsSection(commands) +
    section('Options', [
      ['-h, --help', 'print this help; bloomery help <command> prints that of a command'],
      ['-V, --version', 'print the version'],
    ]) +
    examples(lines)
  );
}
