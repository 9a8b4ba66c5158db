/** Whether a value is an object, and not null. Functions are none. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Describes a value in an error message: short, and safe for any value. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value);
    case 'bigint':
      // Printing a huge bigint takes seconds.
      return BigInt.asIntN(128, value) === value ? `${value}n` : 'a bigint of more than 128 bits';
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : showObject(value);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

function showObject(value: object): string {
  try {
    return `an object (${String(value.constructor.name || 'Object').slice(0, 40)})`;
  } catch {
    // The object has no constructor, or a getter or a proxy threw.
    return 'an object';
  }
}

/** Describes a number of bytes, in powers of 1000 and three digits. */
export function showBytes(bytes: number): string {
  const power = bytes && Math.floor(Math.log10(bytes) / 3);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${'KMGTP'[power - 1] ?? ''}B`;
}

/** A number in three digits. */
export function showRounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A lower limit in three digits, rounded up so that the shown value is accepted. */
export function showLeast(limit: number): string {
  const shown = showRounded(limit);
  return Number(shown) < limit ? showRounded(limit * 1.005) : shown;
}

export function mustBe(name: string, wanted: string, got: unknown): string {
  return `${name} must be ${wanted}, got ${show(got)}`;
}

function requireNumber(name: string, value: unknown, wanted: string, isRight: (value: number) => boolean): number {
  if (typeof value !== 'number') throw new TypeError(mustBe(name, wanted, value));
  if (!isRight(value)) throw new RangeError(mustBe(name, wanted, value));
  return value;
}

/** Returns the value if it is an integer from `low` to `high`; else throws a TypeError or a RangeError with `name`. */
export function requireInteger(name: string, value: unknown, low: number, high: number): number {
  const isRight = (n: number): boolean => Number.isInteger(n) && n >= low && n <= high;
  // Adding 0 turns −0 into 0.
  return requireNumber(name, value, `an integer from ${low} to ${high}`, isRight) + 0;
}

/**
 * Returns the value if it is a number strictly between 0 and 1; else throws a TypeError or a RangeError with `name`.
 */
export function requireRate(name: string, value: unknown): number {
  return requireNumber(name, value, 'a number between 0 and 1, both excluded', (n) => n > 0 && n < 1);
}

/** Seeds from here on stand for secrets: this number, and a hash of 32 bits under the secret. */
export const SECRETS: number = 2 ** 32;

/**
 * Seeds from here on stand for the hashes of other systems: a multiple of this number, and the seed that the system
 * uses. The kernel takes the lower 32 bits.
 */
export const FOREIGN: number = 2 * SECRETS;

/** Describes a seed in an error message. Of a secret it shows the 32 bits that follow from it, as files do. */
export function showSeed(seed: number): string {
  // Also true of a name.
  if (!(seed >= SECRETS)) return String(seed);
  // A seed of another system: only Spark has any, and they have a sign.
  return seed < FOREIGN ? `a secret (${seed.toString(16).slice(1)})` : String(seed | 0);
}

/** As `mustBe`, for two seeds. */
export function mustBeSeed(name: string, wanted: number, got: number): string {
  return `${name} must be ${showSeed(wanted)}, got ${showSeed(got)}`;
}

/** @param only the only seed that is allowed: that of an engine with a secret */
export function requireSeed(value: unknown, only?: number): number {
  if (only && value !== only) throw new TypeError(mustBe('seed', 'undefined under a secret', value));
  return only ?? requireInteger('seed', value, 0, SECRETS - 1);
}

/** Returns the value if it is one of these names; else throws a TypeError or a RangeError with `name`. */
export function requireOneOf<Name extends string>(name: string, value: unknown, names: readonly Name[]): Name {
  if (typeof value !== 'string') throw new TypeError(mustBe(name, 'a string', value));
  const found = names.find((each) => each === value);
  if (found === undefined) throw new RangeError(mustBe(name, `one of ${names.map(show).join(', ')}`, value));
  return found;
}

/** @throws TypeError unless the value is a function */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(mustBe(name, 'a function', value));
}

/** Whether a value is a URL, of any realm: in Jest's jsdom, those of `node:url` are of another one. */
export function isUrl(value: unknown): value is URL {
  return value instanceof URL || Object.prototype.toString.call(value) === '[object URL]';
}

/** @throws TypeError unless the value is an AbortSignal or undefined */
export function requireSignal(name: string, signal: unknown): AbortSignal | undefined {
  if (signal === undefined || typeof (signal as AbortSignal | null)?.throwIfAborted === 'function') {
    return signal as AbortSignal | undefined;
  }
  throw new TypeError(mustBe(name, 'an AbortSignal', signal));
}
