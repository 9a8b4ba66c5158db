// The types of a benchmark run: its plan, its measurements and its messages.

/** The contenders, in the order of results. Changing this list needs a new version of the shared links. */
export const contenderNames = [
  'bloomery, batch',
  'bloomery, single',
  'bloomery, lines',
  'bloomfilter',
  'plain JS',
  'Set',
] as const;
export type ContenderName = (typeof contenderNames)[number];

export function isOurs(name: ContenderName): boolean {
  return name.startsWith('bloomery');
}

export const operations = ['build', 'hit', 'miss'] as const;
export type Operation = (typeof operations)[number];

/** Warm strings lie in memory in the order of their use; cold strings are scattered, and in no cache. */
export const temperatures = ['warm', 'cold'] as const;
export type Temperature = (typeof temperatures)[number];

export interface Plan {
  /** The number of keys that are added; as many are found, and as many not found. */
  readonly keys: number;
  readonly rounds: number;
}

export type ByCase<T> = Readonly<Record<Temperature, Readonly<Record<Operation, T>>>>;

/** Makes something for each temperature and operation, in their order. */
export function byCase<T>(make: (temperature: Temperature, operation: Operation) => T): ByCase<T> {
  const at = (temperature: Temperature): Record<Operation, T> => ({
    build: make(temperature, 'build'),
    hit: make(temperature, 'hit'),
    miss: make(temperature, 'miss'),
  });
  return { warm: at('warm'), cold: at('cold') };
}

/** Nanoseconds per key in each round, by temperature, operation and contender. */
type Times = ByCase<readonly (readonly number[])[]>;

/** Where and when the benchmark ran. */
export interface Machine {
  readonly userAgent: string;
  /** 0 if the browser does not tell. */
  readonly cores: number;
  readonly engine: 'wasm' | 'js';
  readonly bloomery: string;
  readonly bloomfilter: string;
  /** The smallest step of the clock, in microseconds. */
  readonly clock: number;
  /** YYYY-MM-DD */
  readonly date: string;
}

export interface Result {
  readonly plan: Plan;
  readonly machine: Machine;
  readonly times: Times;
  /** How many absent keys looked present, by contender. */
  readonly falsePositives: readonly number[];
}

export const ERROR_RATE = 0.01;

/** The messages from the Worker to the page. */
export type Report =
  | { readonly type: 'progress'; readonly text: string; readonly done: number }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'failed'; readonly message: string };
