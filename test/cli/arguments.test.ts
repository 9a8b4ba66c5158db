// How the words of a command line become options and operands, without running a program.

import { expect, it } from 'vitest';
import { flag } from '../../cli/args/command.ts';
import { command } from '../../cli/args/parse.ts';
import { CommandError } from '../../cli/errors.ts';

/** Runs a command that has switches -c and -z, and an option -d, and returns its operands. */
async function operandsOf(args: readonly string[]): Promise<readonly string[]> {
  let given: readonly string[] = [];
  const test = command({
    name: 'test',
    summary: '',
    description: '',
    operands: [{ name: 'files', description: '', optional: true, repeated: true }],
    options: {
      count: flag('', 'c'),
      null: flag('', 'z'),
      delimiter: { short: 'd', argument: 'text', description: '', absent: '', read: (text) => text },
    },
    examples: [],
    async action(operands) {
      given = operands;
    },
  });
  await test.run(args);
  return given;
}

it('two dashes end the options', async () => {
  expect(await operandsOf(['-c', 'a', '--', '-z', '--count'])).toEqual(['a', '-z', '--count']);
  expect(await operandsOf(['-cz', '-d-', 'a', '-d--', 'b'])).toEqual(['a', 'b']);
});

it.each(['-c-', '-c-z', '-z-0'])('a dash among switches does not: %s', async (word) => {
  const error = await operandsOf([word, '--count']).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(CommandError);
  expect(error).toMatchObject({ message: `unknown option - in ${word}` });
});
