import type { Source } from './job.ts';

/** An error whose message is meant for the user, about one of the two inputs. */
export class InputError extends Error {
  readonly source: Source | undefined;

  constructor(message: string, source?: Source, options?: ErrorOptions) {
    super(message, options);
    this.source = source;
  }
}

/** Says in the page's words why a filter of this size cannot be made, or a file cannot be read. */
export function explained(error: unknown, source?: Source): Error {
  if (error instanceof InputError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'NotReadableError' || name === 'NotFoundError') {
    return new InputError('The file cannot be read any more: it has changed or is gone. Choose it again.', source);
  }
  if (name === 'QuotaExceededError') return new InputError('There is no room left for the result.');
  if (/too large|no memory/.test(message)) {
    const size = /a filter of [\d.]+ \wB/.exec(message)?.[0];
    const needs =
      size === undefined ? 'There is not enough memory for its filter' : `It needs ${size}, which is too large`;
    return new InputError(`${needs}. Allow more wrong lines, or divide the list.`, source, { cause: error });
  }
  return new InputError(message, source, { cause: error });
}
