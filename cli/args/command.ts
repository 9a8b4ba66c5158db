/** An option of a command, with a value of type T. */
export type Option<T> = Described<T> & ({ readonly required: true } | Optional<T>);

interface Described<T> {
  /** The letter after a single dash. */
  readonly short?: string;
  /** What its argument is called in help texts; a switch has none. */
  readonly argument?: string;
  readonly description: string;
  /** All that the argument can be, if that is a short list. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times. */
  readonly repeated?: true;
  /**
   * Reads the argument. Throws a CommandError that says what it must be.
   *
   * @param before the value so far, if the option came before
   */
  read(text: string, name: string, before?: T): T;
}

interface Optional<T> {
  readonly required?: undefined;
  /** The value if the option is not given. */
  readonly absent: T;
}

/** Options by their long names. */
export type Options = Readonly<Record<string, Option<unknown>>>;

export type Values<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** The arguments of a command that are not options. */
export interface Operand {
  readonly name: string;
  readonly description: string;
  /** All that it can be, if that is a short list. */
  readonly choices?: readonly string[];
  readonly optional?: true;
  /** Whether it takes all arguments that are left. Only for the last one. */
  readonly repeated?: true;
}

/** What defines a command. */
export interface Specification<O extends Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly operands: readonly Operand[];
  readonly options: O;
  readonly examples: readonly string[];
  action(operands: readonly string[], values: Values<O>): Promise<void>;
}

export type Description = Omit<Specification<Options>, 'action'>;

export interface Command extends Description {
  /** Runs the command with the arguments that follow its name. */
  run(args: readonly string[]): Promise<void>;
}

/** A switch, false unless it is given. */
export function flag(description: string, short?: string): Option<boolean> {
  return { ...(short && { short }), description, absent: false, read: () => true };
}

const HELP = { help: flag('print this help', 'h') } satisfies Options;

/** The option with `--help`, which every command takes. */
export function withHelp<O extends Options>(options: O): O & typeof HELP {
  return { ...options, ...HELP };
}

/** `-o, --output`, or only the long name. */
export function flagsOf(name: string, { short }: Option<unknown>): string {
  return short ? `-${short}, --${name}` : `--${name}`;
}
