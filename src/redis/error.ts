import { show } from '../util/checks/validate.ts';

/** What went wrong. The last three are the codes of Redis's own errors. */
export type RedisFilterErrorCode =
  /** There is no filter of this name, or not the one that the object had opened. */
  | 'ABSENT'
  /** There already is a filter of this name. */
  | 'EXISTS'
  /** The key holds something that is not a filter. */
  | 'FOREIGN'
  /** A later version of the package made the filter. */
  | 'VERSION'
  /** The stored parameters have been changed or cut. */
  | 'DAMAGED'
  /** The filter was made with other parameters. */
  | 'MISMATCH'
  /**
   * The keys of the filter are hashed under another secret than that of the class, or only one of the two has a secret.
   */
  | 'SECRET'
  /** The server evicts keys like those of the filter when its memory is full. */
  | 'EVICTION'
  /** A part of the filter's bits is gone: deleted, evicted, or lost with a server. */
  | 'LOST'
  /** No answer within the time limit. The command may have run. */
  | 'TIMEOUT'
  /** The connection failed. The command may have run. */
  | 'CONNECTION'
  /** Keys were added, but fewer replicas than asked for have confirmed it. */
  | 'UNREPLICATED'
  /** Any other error of Redis; its message says which. */
  | 'REDIS'
  /** The user may not run a command or reach a key. */
  | 'NOPERM'
  /** Redis has no memory left, and evicts nothing. */
  | 'OOM'
  /** The command was sent to a read-only replica. */
  | 'READONLY';

/** What is known of each key of a call that failed. */
export interface PartialAnswers {
  /** For each key, 1 if Redis has answered for it. */
  readonly done: Uint8Array;
  /** For each key that is done, what the call would have returned. */
  readonly flags: Uint8Array;
  /** For each key that is done, 1 if enough replicas have confirmed it. Only with the option `wait`. */
  readonly confirmed?: Uint8Array;
}

/** An error of a filter in Redis. */
export class RedisFilterError extends Error {
  readonly code: RedisFilterErrorCode;
  /** What is known of each key, in order, if the call was about keys. Keys after the last one were not sent. */
  readonly answers: PartialAnswers | undefined;

  constructor(
    code: RedisFilterErrorCode,
    message: string,
    { cause, answers }: { cause?: unknown; answers?: PartialAnswers } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RedisFilterError';
    this.code = code;
    this.answers = answers;
  }
}

export function absent(name: string): RedisFilterError {
  return new RedisFilterError('ABSENT', `there is no filter "${name}"`);
}

/** Throws an error of `open` again, with a hint how to make the filter if there is none and the user may make it. */
export function refuseAbsent(error: unknown, mayMake: boolean): never {
  if (!mayMake || !(error instanceof RedisFilterError) || error.code !== 'ABSENT') throw error;
  const hint = 'open it with a capacity, and it is made: { capacity: 1e6, errorRate: 0.01 }';
  throw new RedisFilterError('ABSENT', `${error.message}; ${hint}`);
}

/** The error of an object whose filter is gone, while an unrelated one has its name. */
export function gone(name: string): RedisFilterError {
  const reason = 'it was deleted or lost, and another one has been made; open it again';
  return new RedisFilterError('ABSENT', `the filter "${name}" that was opened is gone: ${reason}`);
}

export function foreign(name: string): RedisFilterError {
  return new RedisFilterError('FOREIGN', `"${name}" holds something other than a filter`);
}

export function lost(name: string): RedisFilterError {
  return new RedisFilterError('LOST', `a part of "${name}" is missing: it was deleted, evicted or lost`);
}

/** The error if other pieces have taken the place of those that were used, again and again. */
export function unsettled(time: string): RedisFilterError {
  return new RedisFilterError('TIMEOUT', `not done within ${time}: meanwhile, the filter was turned or cleared again`);
}

/** The message of whatever a client or a listener threw. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return show(error);
  }
}

/**
 * The message of an error. If it has none, its code, as in those of Node if all addresses refuse, or its name, as in
 * those of GLIDE if it is closed.
 */
export function reasonOf(error: unknown): string {
  return messageOf(error) || String((error as { code?: unknown }).code ?? error);
}

/** The errors of Redis that have a code of their own. */
const REPLIES: readonly (readonly [RegExp, RedisFilterErrorCode])[] = [
  // The error of a command within a script has no code at its beginning. The last one is that of Redis 7.2 and Valkey.
  [/\bNOPERM\b|user executing the script can't|ACL failure in script/, 'NOPERM'],
  [/\bOOM\b/, 'OOM'],
  [/\bREADONLY\b/, 'READONLY'],
  // The key of a piece holds something else.
  [/\bWRONGTYPE\b/, 'LOST'],
];

/** A server refuses several keys at once with this error while their slot is being moved to another server. */
export const DIVIDED = /\bTRYAGAIN\b/;

/** Whether a server refused a call as divided. A time limit that quotes this reply has been waited for already. */
export function isDivided(error: unknown): boolean {
  const isTimeout = error instanceof RedisFilterError && error.code === 'TIMEOUT';
  return !isTimeout && DIVIDED.test(messageOf(error));
}

/** Whether a server replied with the error, rather than the client or the network. */
export function isReply(message: string): boolean {
  return /^-?[A-Z]{2,}\b/.test(message);
}

/** Turns what a client threw into a `RedisFilterError`. */
export function typedError(cause: unknown): RedisFilterError {
  if (cause instanceof RedisFilterError) return cause;
  const message = messageOf(cause);
  // Inside a script, Redis 6 puts words before the code.
  const [, code = isReply(message) ? 'REDIS' : 'CONNECTION'] = REPLIES.find(([reply]) => reply.test(message)) ?? [];
  return new RedisFilterError(code, reasonOf(cause), { cause });
}
