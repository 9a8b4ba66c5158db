// A case of a fuzz test: random choices that a seed, a reader and a number determine, and the input that they lead to.

/** Returns an integer from 0 to `limit` − 1. */
export type Random = (limit: number) => number;

/** Whether an input was read as something valid, or refused with an error that the documentation names. */
export type Outcome = 'read' | 'refused';

/** What a reader is given for a case. */
export interface Subject {
  readonly random: Random;
  /** What is being read; a reader sets it before it reads, so that a report can show it. */
  input: Uint8Array | string;
}

export interface Reader {
  readonly name: string;
  /** How many of a million cases it gets. Slow readers get fewer. */
  readonly share: number;
  /** Makes an input, and reads it. Throws unless the input is refused as documented, or read as something valid. */
  run(subject: Subject): Outcome | Promise<Outcome>;
}

function mixed(word: number): number {
  let hash = word | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The cases of a reader. Each begins from the start, so that any of them can be repeated alone. */
export class Cases implements Subject {
  input: Uint8Array | string = '';
  readonly random: Random;
  /** Begins the case of this number. */
  readonly start: (number: number) => void;

  constructor(seed: number, name: string) {
    const stream = [...name].reduce((hash, letter) => mixed(hash ^ (letter.codePointAt(0) ?? 0)), seed);
    // The generator is sfc32: its cycles are so long that cases do not repeat each other's choices.
    let [a, b, c, d] = [0, 0, 0, 0];
    this.random = (limit) => {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + sum;
      return Math.floor(((sum >>> 0) / 2 ** 32) * limit);
    };
    this.start = (number) => {
      this.input = '';
      [a, b, c, d] = [mixed(number), seed, stream, mixed(stream ^ number)];
      for (let i = 0; i < 8; i++) this.random(1);
    };
  }
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)] as T;
}

export function require(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Error(`this does not hold: ${law}`);
}

export function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

type IsDocumented = (error: unknown) => boolean;

function refusal(error: unknown, isDocumented: IsDocumented): undefined {
  if (!isDocumented(error)) throw error;
}

/** Reads an input; returns undefined if the error is one that the documentation names, and else throws it. */
export function attempt<T>(read: () => T, isDocumented: IsDocumented): T | undefined {
  try {
    return read();
  } catch (error) {
    return refusal(error, isDocumented);
  }
}

/** As `attempt`, for what reads asynchronously. */
export async function attemptLater<T>(read: () => Promise<T>, isDocumented: IsDocumented): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    return refusal(error, isDocumented);
  }
}
