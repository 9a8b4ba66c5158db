import type { KeyReader } from '../filters/key-reader.ts';
import { Answers, confirm, failureOf, type Sent, unconfirmed } from './answers.ts';
import { type Call, planCalls } from './calls.ts';
import type { Connection } from './connection.ts';
import { isDivided, typedError, unsettled } from './error.ts';
import { InFlightLimit } from './in-flight-limit.ts';
import type { Layout } from './layout.ts';
import { flagsIn, textIn } from './replies.ts';
import type { SavedAnswer, Verb } from './scripts.ts';
import type { SendTarget } from './target.ts';

/** Keys that are being sent together, and what comes back. */
interface Delivery {
  readonly verb: Verb;
  readonly answers: Answers;
  /** The calls that were answered, if replicas are to confirm them. */
  readonly sent: Sent[];
  /** When the first of the calls was sent. */
  begun?: number;
  /** Calls that had to wait for so long that replicas are to confirm the others first. */
  readonly late: Call[];
}

interface CallOptions {
  /** Whether the call is about a single piece, in a slot that is being moved. */
  readonly isAlone?: boolean;
  /** Whether the master must answer. */
  readonly latest?: boolean;
  /** When the first answer came, if the call is sent again. */
  readonly since?: number;
}

/** Sends keys in calls of a bounded size, with a bounded number on their way, and collects the answers. */
export class Sender {
  readonly #connection: Connection;
  readonly #target: SendTarget;
  readonly #limit: InFlightLimit;
  /** Makes the names of calls differ from those of other clients. */
  readonly #client: string = crypto.randomUUID();
  #calls = 0;

  constructor(connection: Connection, target: SendTarget) {
    this.#connection = connection;
    this.#target = target;
    this.#limit = new InFlightLimit(connection.settings.inFlight);
  }

  /**
   * Sends any number of keys, a part of them at a time. Calls `take` with the flags of each part.
   *
   * @throws RedisFilterError with all answers, at the first part that fails
   */
  async sendAll(verb: Verb, keys: KeyReader, take?: (flags: Uint8Array) => void): Promise<void> {
    const parts: Answers[] = [];
    for (const hashes of keys.parts()) {
      const answers = await this.send(verb, hashes);
      parts.push(answers);
      if (answers.failures.length > 0) throw failureOf(parts);
      take?.(answers.flags);
    }
  }

  /** Sends keys by their hashes. Does not throw: the answers tell what failed. */
  async send(verb: Verb, hashes: Uint32Array): Promise<Answers> {
    const { events, runner, settings } = this.#connection;
    const wait = verb === 'has' ? undefined : settings.wait;
    const { layout } = this.#target;
    const answers = new Answers(hashes.length / 2, wait !== undefined);
    // A key that the mirror knows may still be missing on replicas, so with `wait` all keys are sent.
    const mirror = wait ? undefined : this.#target.mirror;
    // Without flags, known keys are sent too: Redis may have lost them, and they must come back.
    const known = verb === 'note' ? undefined : mirror?.known(hashes);
    if (known) answers.takeKnown(known, verb === 'has');
    const begun = Date.now();
    /** The masters that are known to have lost something. */
    const losers = new Set<unknown>();
    const send = async (delivery: Delivery, call: Call): Promise<void> => {
      try {
        await this.#send(delivery, call);
      } catch (reason) {
        const error = typedError(reason);
        answers.fail(
          error,
          call.positions.filter((position) => answers.done[position] === 0),
        );
        const key = layout.key(call.pieces[0] ?? 0);
        const master = runner.adapter.master(key);
        if (error.code !== 'LOST' || losers.has(master)) return;
        losers.add(master);
        events.emit('lost', { key, begun, error });
      }
    };
    const planned = planCalls(hashes, layout, runner.adapter.cluster, settings.inFlight, known);
    for (let calls = planned; calls.length > 0; ) {
      const delivery: Delivery = { verb, answers, sent: [], late: [] };
      await Promise.all(calls.map((call) => send(delivery, call)));
      if (wait) await confirm(delivery.sent, answers, runner, wait);
      calls = delivery.late;
    }
    if (wait && !answers.confirmed?.every(Boolean)) answers.fail(unconfirmed(wait), []);
    mirror?.learn(hashes, answers, verb !== 'has');
    return answers;
  }

  async #send(delivery: Delivery, call: Call, options: CallOptions = {}): Promise<void> {
    const { verb, answers, sent } = delivery;
    const { isAlone = false, latest = false } = options;
    const { runner, readOnly } = this.#connection;
    const { layout } = this.#target;
    const [first = 0] = call.pieces;
    const key = layout.beside(first, `once:${this.#client}:${(this.#calls++).toString(36)}`);
    const saved = isAlone ? undefined : this.#savedAnswer(verb, key);
    const ask = async (): Promise<string | undefined> => {
      delivery.begun ??= Date.now();
      const isLate = answers.confirmed !== undefined && Date.now() - delivery.begun > runner.timeout;
      return isLate ? undefined : this.#ask(verb, call, layout, saved, options);
    };
    let answer: string | undefined;
    try {
      answer = await this.#limit.run(runner.adapter.master(key), call.length, ask);
    } catch (error) {
      if (isAlone || !isDivided(error)) throw error;
      // Commands about one piece go on while its slot is being moved.
      await Promise.all(call.byPiece().map((part) => this.#send(delivery, part, { ...options, isAlone: true })));
      return;
    }
    if (answer === undefined) {
      delivery.late.push(call);
      return;
    }
    const { since = Date.now() } = options;
    const flags = flagsIn(await this.#target.flagsOf(answer), call.length);
    answers.take(call, flags);
    // WAIT would ask the master that the slot is being moved from, and the piece may be on the other.
    const positions = call.positions.slice(0, flags.length);
    if (answers.confirmed && flags.length > 0 && !isAlone) {
      sent.push({ positions, key, master: runner.adapter.master(key) });
    }
    if (flags.length === call.length) return;
    const rest = call.from(flags.length);
    // A replica that is late may not have the piece yet, or not know that there is another filter now.
    if (verb === 'has' && readOnly && !latest) return this.#send(delivery, rest, { latest: true, since });
    await this.#target.renew(layout);
    // As when a window is shorter than it takes to begin one.
    if (Date.now() - since > runner.timeout) throw unsettled(`${runner.timeout} ms`);
    await this.#send(delivery, rest, { since });
  }

  /** Where Redis saves the answer to a call; undefined if a retry is harmless anyway, or not wanted. */
  #savedAnswer(verb: Verb, key: string): SavedAnswer | undefined {
    const { timeout, wait, once } = this.#connection.settings;
    if (verb === 'has' || !(wait || (once && verb === 'add'))) return undefined;
    // Long enough for all attempts at this call, and with `wait` at those that go before replicas are asked, and for the
    // check after WAIT.
    const life = wait ? 3 * timeout + wait.ms : 2 * timeout;
    return { key, args: [String(life), wait ? '1' : '0'] };
  }

  async #ask(
    verb: Verb,
    call: Call,
    layout: Layout,
    saved: SavedAnswer | undefined,
    { isAlone = false, latest = false }: CallOptions,
  ): Promise<string> {
    const { runner, store, readOnly } = this.#connection;
    const { pieces } = call;
    const { script, keys, args } = layout.request({ verb, pieces, saved, isAlone });
    const isReading = readOnly && verb === 'has';
    const unrepeatable = verb === 'add' && saved === undefined;
    const options = { readOnly: isReading, unrepeatable, latest, divisible: !isAlone };
    const answer = textIn(await runner.run(script, keys, [call.records, ...args], options)) ?? '';
    const [first = 0] = pieces;
    // The script has read the list itself.
    if (keys[0] === layout.list(first)) return answer;
    // Once the list does not have the filter, it never has it again. So it is asked after the piece.
    const isListed = await store.pieces.isListed(layout, first, { ...options, unrepeatable: false });
    return isListed ? answer : '';
  }
}
