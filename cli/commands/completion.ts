import type { Command } from '../args/command.ts';
import { shells } from '../args/completion.ts';
import { command } from '../args/parse.ts';
import { write } from '../filters/output.ts';
import { readChoice } from '../nearest.ts';

const names = Object.keys(shells);

/** Makes the command that prints how a shell completes the `others` and itself. */
export function completionCommand(others: readonly Command[]): Command {
  const self = command({
    name: 'completion',
    summary: 'print a program by which a shell completes commands and options',
    description:
      'Prints a program for a shell, which then completes commands, options and their arguments when you press Tab.',
    operands: [{ name: 'shell', description: names.join(', '), choices: names }],
    options: {},
    examples: [
      'source <(bloomery completion bash)  # in ~/.bashrc',
      'source <(bloomery completion zsh)   # in ~/.zshrc, after compinit',
      'bloomery completion fish > ~/.config/fish/completions/bloomery.fish',
    ],
    async action([shell = '']) {
      await write(shells[readChoice(names, shell, '<shell>') as keyof typeof shells]([...others, self]));
    },
  });
  return self;
}
