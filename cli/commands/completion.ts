import type { Command } from '../args/command.ts';
import { shells } from '../args/completion.ts';
import { command } from '../args/parse.ts';
import { CommandError, quote } from '../errors.ts';
import { write } from '../filters/output.ts';

const names = Object.keys(shells);

function isShell(name: string): name is keyof typeof shells {
  return names.includes(name);
}

/** Makes the command that prints how a shell completes the `others` and itself. */
export function completionCommand(others: readonly Command[]): Command {
  const self = command({
    name: 'completion',
    summary: 'print a program by which a shell completes commands and options',
    description:
      'Prints a program for a shell, which then completes commands, options and their arguments at the tab key.',
    operands: [{ name: 'shell', description: names.join(', '), choices: names }],
    options: {},
    examples: [
      'source <(bloomery completion bash)  # in ~/.bashrc',
      'source <(bloomery completion zsh)   # in ~/.zshrc, after compinit',
      'bloomery completion fish > ~/.config/fish/completions/bloomery.fish',
    ],
    async action([shell = '']) {
      if (!isShell(shell)) throw new CommandError(`<shell> must be one of ${names.join(', ')}, got ${quote(shell)}`);
      await write(shells[shell]([...others, self]));
    },
  });
  return self;
}
