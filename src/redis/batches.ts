import type { Flags } from '../filters/batch.ts';
import { Answers, failureOf } from './answers.ts';
import { confirm, type Sent } from './confirm.ts';
import type { Connection } from './connection.ts';
import type { Current } from './current.ts';
import { messageOf, typedError } from './error.ts';
import { Flight } from './flight.ts';
import { hashesOf } from './hashes.ts';
import { type Call, planCalls } from './plan.ts';
import { DIVIDED } from './runner.ts';
import { ADD, ADD_ONCE, HAS } from './scripts.ts';

/** What to do with keys: `note` adds them, and does not tell which were new. */
export type Verb = 'add' | 'note' | 'has';

/** Sends keys in calls of a bounded size, with a bounded number on their way, and collects the answers. */
export class Batches {
  readonly #connection: Connection;
  readonly #current: Current;
  readonly #flight: Flight;
  /** Makes the names of calls differ from those of other clients. */
  readonly #client: string = crypto.randomUUID();
  #calls = 0;

  constructor(connection: Connection, current: Current) {
    this.#connection = connection;
    this.#current = current;
    this.#flight = new Flight(connection.settings.inFlight);
  }

  /**
   * Sends keys of any number, a part of them at a time, and appends their flags to `flags`.
   *
   * @throws RedisFilterError with all answers, at the first part that fails
   */
  async all(verb: Verb, keys: unknown, flags?: Flags<ArrayBufferLike>): Promise<void> {
    const parts: Answers[] = [];
    for (const hashes of hashesOf(keys, this.#current.stored.seed)) {
      const answers = await this.some(verb, hashes);
      parts.push(answers);
      if (answers.failures.length > 0) throw failureOf(parts);
      flags?.push({ scratch: { flagBytes: answers.flags } }, answers.flags.length);
    }
  }

  /** Sends keys by their hashes. Does not throw. */
  async some(verb: Verb, hashes: Uint32Array): Promise<Answers> {
    const { runner, settings } = this.#connection;
    const wait = verb === 'has' ? undefined : settings.wait;
    const { layout } = this.#current;
    const answers = new Answers(hashes.length / 2, wait !== undefined);
    const sent: Sent[] = [];
    // What is known to be present need not have replicas yet.
    const mirror = wait ? undefined : this.#current.mirror;
    const known = mirror?.known(hashes);
    if (known) answers.takeKnown(known, verb === 'has');
    const send = async (call: Call): Promise<void> => {
      try {
        await this.#send(verb, call, answers, sent);
      } catch (error) {
        answers.failures.push(typedError(error));
      }
    };
    await Promise.all(planCalls(hashes, layout, runner.adapter.cluster, known).map(send));
    if (wait) await confirm(sent, answers, runner, wait);
    mirror?.learn(hashes, answers, verb !== 'has');
    return answers;
  }

  /** @param isAlone whether the call is about a single piece, in a slot that is being moved */
  async #send(verb: Verb, call: Call, answers: Answers, sent: Sent[], isAlone = false): Promise<void> {
    const { runner, settings } = this.#connection;
    const { layout } = this.#current;
    const keys = call.pieces.map((piece) => layout.key(piece));
    const [first = 0] = call.pieces;
    const key = layout.beside(first, `once:${this.#client}:${(this.#calls++).toString(36)}`);
    const isRemembered =
      !isAlone && verb !== 'has' && (settings.wait !== undefined || (settings.once && verb === 'add'));
    const ask = isRemembered ? this.#askOnce(call, [...keys, key]) : this.#ask(verb, call, keys);
    let text: string;
    try {
      text = await this.#flight.run(runner.adapter.master(key), call.length, ask);
    } catch (error) {
      if (isAlone || !DIVIDED.test(messageOf(error))) throw error;
      // Commands about one key go on while its slot is being moved.
      await Promise.all(call.byPiece().map((part) => this.#send(verb, part, answers, sent, true)));
      return;
    }
    answers.take(call, text);
    sent.push({ call, key, isRemembered });
    if (text.length === call.length) return;
    await this.#current.renew(layout);
    await this.#send(verb, call.from(text.length), answers, sent);
  }

  #ask(verb: Verb, { records }: Call, keys: readonly string[]): () => Promise<string> {
    const { runner, readOnly } = this.#connection;
    const [script, options] =
      verb === 'has' ? [HAS, { readOnly, repeatable: true }] : [ADD, { repeatable: verb === 'note' }];
    return async () => String(await runner.run(script, keys, [records], { ...options, divisible: true }));
  }

  /** Asks to add keys, so that the same call can be repeated without harm to its flags. */
  #askOnce({ records }: Call, keys: readonly string[]): () => Promise<string> {
    const { runner, settings } = this.#connection;
    const { timeout, wait } = settings;
    // Long enough for all attempts at this call, and for the check after WAIT.
    const life = 2 * timeout + (wait?.ms ?? 0);
    const args = [records, String(life), wait ? '1' : '0'];
    return async () => String(await runner.run(ADD_ONCE, keys, args, { repeatable: true, divisible: true }));
  }
}
