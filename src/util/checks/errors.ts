// The errors that a program may react to.

/**
 * An error that every copy of the package recognizes by its name, whichever copy threw it: an engine, a module form or
 * a single file each have classes of their own.
 */
abstract class NamedError extends RangeError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { prototype } = this;
    // A subclass that has no name of its own recognizes only what it has made.
    const isNamed = Object.hasOwn(prototype, 'name') && (value as Error | undefined)?.name === prototype.name;
    return isNamed || super[Symbol.hasInstance](value);
  }
}

/** `ErrorOptions`, which the declarations of JavaScript have from 2022 on only. */
interface CauseOptions {
  cause?: unknown;
}

/** Why a filter refused a key. */
export type FilterFullErrorCode =
  /**
   * All cells that the key may take are in use, and the filter may not grow. One with a larger capacity takes the key.
   */
  | 'FULL'
  /** The key, or keys that look the same, has been added as often as it can be. A larger filter refuses it too. */
  | 'COPIES'
  /** The filter must grow to take the key, and there is no memory for that. */
  | 'MEMORY';

/**
 * There is no room for a key. The keys before it have been added, and no others.
 *
 * `instanceof` holds for errors of every class of filters, on either engine, and of other copies of the package.
 */
export class FilterFullError extends NamedError {
  /** Why the key was refused. */
  declare readonly code: FilterFullErrorCode;
  /** Why the key was refused, in words. */
  declare readonly reason: string;
  /**
   * The position of the refused key among those of the call, from 0. All keys before it have been dealt with. For
   * `addLines`, the number of lines before it in the whole text. 0 for `add`, and for `union` and `merge`, which add
   * all keys or none; only `merge` of a `FingerprintSet` may have added some.
   */
  declare readonly position: number;

  constructor(
    message: string,
    { code, reason, position }: Pick<FilterFullError, 'code' | 'reason' | 'position'>,
    options?: CauseOptions,
  ) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.position = position;
  }

  /** The name of the class. */
  override get name(): string {
    return 'FilterFullError';
  }
}

/** Why a file cannot be loaded. */
export type SavedFilterErrorCode =
  /** It is something other than a filter. */
  | 'FOREIGN'
  /** It has a version, a kind or a hash that this version of the package does not know. A later one may. */
  | 'VERSION'
  /** It is a filter of a kind other than those asked for; `kind` has its name. */
  | 'KIND'
  /** Its keys were hashed under a secret that the class does not have: under another, or under none. */
  | 'SECRET'
  /** It ends too early. */
  | 'TRUNCATED'
  /** Its bytes are not those that were saved. */
  | 'DAMAGED';

/**
 * A file cannot be loaded.
 *
 * `instanceof` holds for errors of every class of filters, on either engine, and of other copies of the package.
 */
export class SavedFilterError extends NamedError {
  /** Why the file cannot be loaded. */
  declare readonly code: SavedFilterErrorCode;
  /** Why the file cannot be loaded, in words. */
  declare readonly reason: string;
  /** The name of the kind, such as `classic`, if the code is `KIND`. */
  declare readonly kind: string | undefined;

  constructor(reason: string, code: SavedFilterErrorCode = 'DAMAGED', kind?: string) {
    super(`bytes must be a saved filter: ${reason}`);
    this.code = code;
    this.reason = reason;
    this.kind = kind;
  }

  /** The name of the class. */
  override get name(): string {
    return 'SavedFilterError';
  }
}

/**
 * There is no memory for a filter: the engine cannot have so much, or the system has no more.
 *
 * `instanceof` holds for errors of every class of filters, on either engine, and of other copies of the package.
 */
export class FilterMemoryError extends NamedError {
  /** The memory that was asked for, in bytes. */
  declare readonly byteLength: number;

  constructor(message: string, byteLength: number, options?: CauseOptions) {
    super(message, options);
    this.byteLength = byteLength;
  }

  /** The name of the class. */
  override get name(): string {
    return 'FilterMemoryError';
  }
}
