/** A source of ranges of a file: a file, an address, a Blob, or an object of your own with `size` and `read`. */
export interface RangeSource {
  /** The number of bytes of the file, at most 2^50. It must not change. */
  readonly size: number;
  /** Two ranges with up to this many bytes between them are read as one; default 4096. */
  readonly gap?: number | undefined;
  /** The most reads at a time, 1 or more; default 8. */
  readonly inFlight?: number | undefined;
  /**
   * Reads `length` bytes from `offset` on, all inside the file. Rejects if it cannot give them all, or if the file has
   * changed. The bytes must not change until the next read; if `inFlight` is more than 1, they must never change.
   *
   * @param signal aborts the read, also when the filter is closed; absent if the caller gives none. A source may ignore it:
   *   the lookup rejects anyway.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Frees what the source holds. Nothing is read after it. */
  close?(): void | Promise<void>;
}

/** Why a source did not give a range of its file. */
export type SourceErrorCode =
  /** The file is not the same as when the source was made. */
  | 'CHANGED'
  /** The server does not give ranges of the file, or does not say enough to tell whether the file has changed. */
  | 'RANGES'
  /** The server answered with an error; `status` says which. */
  | 'STATUS'
  /** The connection failed, or broke off before all bytes had come. */
  | 'CONNECTION'
  /** The bytes are not those that were asked for: too few or too many, from another range, or compressed. */
  | 'BYTES';

/** A source did not give a range of its file. */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** The status of the server's answer, if the code is `STATUS`. */
  readonly status: number | undefined;

  constructor(code: SourceErrorCode, message: string, options: { cause?: unknown; status?: number } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status;
  }

  /** The name of the class. */
  override get name(): string {
    return 'SourceError';
  }
}
