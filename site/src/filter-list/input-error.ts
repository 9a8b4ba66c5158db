import { FilterMemoryError } from 'bloomery';
import { InvalidRecordError } from '../../../cli/text/format.ts';
import { byteSize, integer } from '../format.ts';
import type { Source } from './job.ts';

/** An error whose message is meant for the user, about one of the two inputs. */
export class InputError extends Error {
  readonly source: Source | undefined;

  constructor(message: string, source?: Source, options?: ErrorOptions) {
    super(message, options);
    this.source = source;
  }
}

/** Rewords an error for the user: why a filter of this size cannot be made, or a file cannot be read. */
export function explained(error: unknown, source?: Source): Error {
  if (error instanceof InputError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'NotReadableError' || name === 'NotFoundError') {
    return new InputError('The file cannot be read any more: it has changed or is gone. Choose it again.', source);
  }
  if (name === 'QuotaExceededError') return new InputError('There is no room left for the result.');
  if (error instanceof InvalidRecordError) {
    const { line, reason } = error.record;
    return new InputError(`Line ${integer(line)} ${reason}. Mend it, or read the file as lines.`, source, {
      cause: error,
    });
  }
  // A filter of more blocks than there are numbers for is not even tried.
  if (error instanceof FilterMemoryError || (error instanceof RangeError && message.startsWith('capacity must'))) {
    const size = error instanceof FilterMemoryError ? ` of ${byteSize(error.byteLength)}` : '';
    const needs = `It needs a filter${size}, which is too large`;
    return new InputError(`${needs}. Allow more wrong lines, or divide the list.`, source, { cause: error });
  }
  return new InputError(message, source, { cause: error });
}
