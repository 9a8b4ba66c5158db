import type { Flags } from '../filters/batch.ts';
import { Answers, failureOf } from './answers.ts';
import { confirm, type Sent } from './confirm.ts';
import type { Connection } from './connection.ts';
import { messageOf, typedError } from './error.ts';
import { Flight } from './flight.ts';
import { hashesOf } from './hashes.ts';
import type { Layout } from './layout.ts';
import type { Memory, Place, Verb } from './place.ts';
import { type Call, planCalls } from './plan.ts';
import { DIVIDED } from './runner.ts';

/** Sends keys in calls of a bounded size, with a bounded number on their way, and collects the answers. */
export class Batches {
  readonly #connection: Connection;
  readonly #place: Place;
  readonly #flight: Flight;
  /** Makes the names of calls differ from those of other clients. */
  readonly #client: string = crypto.randomUUID();
  #calls = 0;

  constructor(connection: Connection, place: Place) {
    this.#connection = connection;
    this.#place = place;
    this.#flight = new Flight(connection.settings.inFlight);
  }

  /**
   * Sends keys of any number, a part of them at a time, and appends their flags to `flags`.
   *
   * @throws RedisFilterError with all answers, at the first part that fails
   */
  async all(verb: Verb, keys: unknown, flags?: Flags<ArrayBufferLike>): Promise<void> {
    const parts: Answers[] = [];
    for (const hashes of hashesOf(keys, this.#place.seed)) {
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
    const { layout } = this.#place;
    const answers = new Answers(hashes.length / 2, wait !== undefined);
    const sent: Sent[] = [];
    // What is known to be present need not have replicas yet.
    const mirror = wait ? undefined : this.#place.mirror;
    // Keys whose flags are not asked for are sent: if Redis has lost them, they must not stay lost.
    const known = verb === 'note' ? undefined : mirror?.known(hashes);
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
    const place = this.#place;
    const { layout } = place;
    const [first = 0] = call.pieces;
    const key = layout.beside(first, `once:${this.#client}:${(this.#calls++).toString(36)}`);
    const memory = isAlone ? undefined : this.#memory(verb, key);
    const ask = (): Promise<string> => this.#ask(verb, call, layout, memory, isAlone);
    let answer: string;
    try {
      answer = await this.#flight.run(this.#connection.runner.adapter.master(key), call.length, ask);
    } catch (error) {
      if (isAlone || !DIVIDED.test(messageOf(error))) throw error;
      // Commands about one piece go on while its slot is being moved.
      await Promise.all(call.byPiece().map((part) => this.#send(verb, part, answers, sent, true)));
      return;
    }
    const flags = await place.flagsIn(answer);
    answers.take(call, flags);
    if (flags.length > 0) sent.push({ call, key, isRemembered: memory !== undefined });
    if (flags.length === call.length) return;
    await place.renew(layout);
    await this.#send(verb, call.from(flags.length), answers, sent);
  }

  /** Where Redis is to remember the answer, so that the call can be repeated without harm to its flags. */
  #memory(verb: Verb, key: string): Memory | undefined {
    const { timeout, wait, once } = this.#connection.settings;
    if (verb === 'has' || !(wait || (once && verb === 'add'))) return undefined;
    // Long enough for all attempts at this call, and for the check after WAIT.
    const life = 2 * timeout + (wait?.ms ?? 0);
    return { key, args: [String(life), wait ? '1' : '0'] };
  }

  async #ask(verb: Verb, call: Call, layout: Layout, memory: Memory | undefined, isAlone: boolean): Promise<string> {
    const { runner, readOnly } = this.#connection;
    const { script, keys, args } = this.#place.request(verb, layout, call.pieces, memory);
    const options = {
      readOnly: readOnly && verb === 'has',
      repeatable: verb !== 'add' || memory !== undefined,
      divisible: !isAlone,
    };
    return String(await runner.run(script, keys, [call.records, ...args], options));
  }
}
