// Computes speed and time left from progress.

export interface Reading {
  /** The share of the work that is done, 0 … 1. */
  readonly share: number;
  readonly linesPerSecond: number;
  /** Infinity at the beginning. */
  readonly secondsLeft: number;
}

/** Measures from its construction on. */
export class Meter {
  readonly #begun: number;

  /** @param now in milliseconds */
  constructor(now: number) {
    this.#begun = now;
  }

  read(progress: { bytes: number; totalBytes: number; lines: number }, now: number): Reading {
    const { bytes, totalBytes, lines } = progress;
    // At least 1, because the clocks of browsers have steps of up to a millisecond.
    const seconds = Math.max(now - this.#begun, 1) / 1000;
    return {
      share: totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 0,
      linesPerSecond: lines / seconds,
      secondsLeft: bytes > 0 ? (seconds * (totalBytes - bytes)) / bytes : Infinity,
    };
  }
}
