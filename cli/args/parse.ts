import { parseArgs } from 'node:util';
import { CommandError } from '../errors.ts';
import { write } from '../filters/output.ts';
import { hintAt } from '../nearest.ts';
import {
  type Command,
  flagsOf,
  type Operand,
  type Option,
  type Options,
  type Specification,
  type Values,
  withHelp,
} from './command.ts';
import { commandHelp } from './help.ts';

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** @throws CommandError for an option that does not exist, lacks its argument or has one that it does not take */
function readOptions(options: Options, tokens: readonly Token[]): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const given = tokens.filter((token) => token.kind === 'option');
  // Unknown names come first: a misspelt option also leaves one missing, or an argument that seems to be an operand.
  for (const { name, rawName } of given) {
    if (!Object.hasOwn(options, name)) {
      const hint = hintAt(name, Object.keys(options), (similar) => `--${similar}`);
      throw new CommandError(`unknown option ${rawName}${hint || '; if it is an argument, write -- before it'}`);
    }
  }
  for (const { name, rawName, value, inlineValue } of given) {
    const { argument, read } = options[name] as Option<unknown>;
    if (argument === undefined && value !== undefined) throw new CommandError(`${rawName} takes no argument`);
    const isMissing = value === undefined || (!inlineValue && /^-./.test(value));
    if (argument !== undefined && isMissing) {
      const hint = value === undefined ? '' : `, got ${value}; --${name}=${value} is read as one`;
      throw new CommandError(`${rawName} needs an argument: <${argument}>${hint}`);
    }
    values.set(name, read(value ?? '', rawName, values.get(name)));
  }
  return values;
}

/** @throws CommandError for a dash among switches */
function tokensOf(options: Options, args: readonly string[]): readonly Token[] {
  const known = Object.entries(options).map(([name, { short, argument }]) => [
    name,
    { type: argument === undefined ? 'boolean' : 'string', ...(short && { short }) } as const,
  ]);
  // Not strict, because its errors suggest nothing.
  const { tokens } = parseArgs({ args: [...args], options: Object.fromEntries(known), strict: false, tokens: true });
  // It takes the dash of `-c-z` for the two dashes that end the options.
  const end = tokens.find(({ kind, index }) => kind === 'option-terminator' && args[index] !== '--');
  if (end) throw new CommandError(`unknown option - in ${args[end.index]}`);
  return tokens;
}

/** @throws CommandError unless the number of operands is right */
function requireOperands(wanted: readonly Operand[], given: readonly string[]): void {
  const missing = wanted.find(({ optional }, i) => !optional && i >= given.length);
  if (missing) throw new CommandError(`missing argument: <${missing.name}>`);
  if (given.length > wanted.length && !wanted.at(-1)?.repeated) {
    throw new CommandError(`unexpected argument: ${given[wanted.length]}`);
  }
}

/** Makes a command whose action gets its arguments parsed and checked. */
export function command<O extends Options>(specification: Specification<O>): Command {
  const { operands, action } = specification;
  const options = withHelp(specification.options);
  return {
    ...specification,
    async run(args) {
      const tokens = tokensOf(options, args);
      const values = readOptions(options, tokens);
      if (values.get('help')) {
        await write(commandHelp(specification));
        return;
      }
      const given = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
      for (const [name, option] of Object.entries(options)) {
        if (values.has(name)) continue;
        if (option.required) {
          throw new CommandError(`missing option: ${flagsOf(name, option)} <${option.argument}>`);
        }
        values.set(name, option.absent);
      }
      requireOperands(operands, given);
      await action(given, Object.fromEntries(values) as Values<O>);
    },
  };
}
