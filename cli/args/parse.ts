import { parseArgs } from 'node:util';
// No entry of the package exports this.
import { distance } from '../../src/checks/options.ts';
import { CommandError } from '../errors.ts';
import { write } from '../filters/output.ts';
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

/** The word that begins with a shortened one, or is most like a misspelt one; undefined if none is similar. */
export function nearest(misspelt: string, words: readonly string[]): string | undefined {
  const longer = words.filter((word) => misspelt.length > 1 && word.startsWith(misspelt));
  if (longer.length > 0) return longer[0];
  const limit = Math.min(3, misspelt.length / 2);
  const [best] = words
    .map((word) => ({ word, far: distance(misspelt.substring(0, 40), word) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far);
  return best?.word;
}

/** @throws CommandError for an option that does not exist, lacks its argument or has one that it does not take */
function readOptions(options: Options, tokens: readonly Token[]): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const given = tokens.filter((token) => token.kind === 'option');
  // Unknown names come first: a misspelt option also leaves one missing, or an argument that seems to be an operand.
  for (const { name, rawName } of given) {
    if (!Object.hasOwn(options, name)) {
      const similar = nearest(name, Object.keys(options));
      throw new CommandError(`unknown option ${rawName}${similar ? `; did you mean --${similar}?` : ''}`);
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
    values.set(name, read(value ?? '', rawName));
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
