import { type PartialAnswers, RedisFilterError } from './error.ts';
import type { Call } from './plan.ts';

const ONE = 49;

/** What Redis has answered about keys that were sent together. */
export class Answers implements PartialAnswers {
  readonly done: Uint8Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  readonly confirmed?: Uint8Array<ArrayBuffer>;
  /** Why keys are not done or not confirmed. */
  readonly failures: RedisFilterError[] = [];

  constructor(count: number, confirms: boolean) {
    this.done = new Uint8Array(count);
    this.flags = new Uint8Array(count);
    if (confirms) this.confirmed = new Uint8Array(count);
  }

  /** Takes the answer to a call: a character for each key that is done. */
  take({ positions }: Call, text: string): void {
    for (let i = 0; i < text.length; i++) {
      const position = positions[i] ?? 0;
      this.done[position] = 1;
      this.flags[position] = text.charCodeAt(i) === ONE ? 1 : 0;
    }
  }

  /** Takes what is known without asking: which keys are present, and so the flag of each. */
  takeKnown(known: Uint8Array, flag: boolean): void {
    this.done.set(known);
    if (flag) this.flags.set(known);
  }

  confirm({ positions }: Call): void {
    for (const position of positions) if (this.confirmed) this.confirmed[position] = this.done[position] ?? 0;
  }

  /** Why a key is not done, or not confirmed; undefined if it is. */
  failureOf(position: number): RedisFilterError | undefined {
    const [failure] = this.failures;
    if (failure === undefined || (this.done[position] === 1 && this.confirmed?.[position] !== 0)) return undefined;
    const { code, message, cause } = failure;
    return new RedisFilterError(code, message, { cause, answers: this.slice(position, position + 1) });
  }

  slice(start: number, end: number): PartialAnswers {
    const { done, flags, confirmed } = this;
    const known = { done: done.slice(start, end), flags: flags.slice(start, end) };
    return confirmed ? { ...known, confirmed: confirmed.slice(start, end) } : known;
  }
}

function joined(parts: readonly Answers[], name: 'done' | 'flags' | 'confirmed'): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, { done }) => length + done.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part[name] ?? [], at);
    at += part.done.length;
  }
  return all;
}

/** Makes the error for a call about many keys that failed in its last part. */
export function failureOf(parts: readonly Answers[]): RedisFilterError {
  const last = parts.at(-1) as Answers;
  const [first] = last.failures as [RedisFilterError];
  const done = joined(parts, 'done');
  const flags = joined(parts, 'flags');
  const confirmed = joined(parts, 'confirmed');
  const isWaiting = last.confirmed !== undefined;
  const count = (isWaiting ? confirmed : done).reduce((sum, each) => sum + each, 0);
  const known = `${count} of the first ${done.length} keys are ${isWaiting ? 'confirmed' : 'done'}`;
  const answers = isWaiting ? { done, flags, confirmed } : { done, flags };
  return new RedisFilterError(first.code, `${first.message} (${known})`, { cause: first.cause ?? first, answers });
}
