import type { Flags } from '../filters/batch.ts';
import { Answers, failureOf } from './answers.ts';
import type { Current } from './current.ts';
import { RedisFilterError, typedError } from './error.ts';
import { Flight } from './flight.ts';
import { hashesOf } from './hashes.ts';
import type { Layout } from './layout.ts';
import { type Call, planCalls } from './plan.ts';
import type { Runner } from './runner.ts';
import { ADD, ADD_ONCE, EXISTS, HAS } from './scripts.ts';
import type { BatchSettings, WaitOptions } from './settings.ts';

/** What to do with keys: `note` adds them, and does not tell which were new. */
export type Verb = 'add' | 'note' | 'has';

/** A call that was answered, and the key under which Redis remembers the answer. */
interface Sent {
  readonly call: Call;
  readonly key: string;
}

function groupBy<K, V>(items: readonly V[], keyOf: (item: V) => K): [V, ...V[]][] {
  const groups = new Map<K, [V, ...V[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Sends keys in calls of a bounded size, with a bounded number on their way, and collects the answers. */
export class Batches {
  readonly #runner: Runner;
  readonly #current: Current;
  readonly #settings: BatchSettings;
  readonly #flight: Flight;
  /** Makes the names of calls differ from those of other clients. */
  readonly #client: string = crypto.randomUUID();
  #calls = 0;

  constructor(runner: Runner, current: Current, settings: BatchSettings) {
    this.#runner = runner;
    this.#current = current;
    this.#settings = settings;
    this.#flight = new Flight(settings.inFlight);
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
    const confirms = verb !== 'has' && this.#settings.wait !== undefined;
    const answers = new Answers(hashes.length / 2, confirms);
    const sent: Sent[] = [];
    const send = async (call: Call): Promise<void> => {
      try {
        await this.#send(verb, call, answers, sent);
      } catch (error) {
        answers.failures.push(typedError(error));
      }
    };
    await Promise.all(planCalls(hashes, this.#current.layout, this.#runner.adapter.cluster).map(send));
    if (confirms) await this.#confirm(sent, answers);
    return answers;
  }

  async #send(verb: Verb, call: Call, answers: Answers, sent: Sent[]): Promise<void> {
    const { layout } = this.#current;
    const [first = 0] = call.pieces;
    const key = layout.beside(first, `once:${this.#client}:${(this.#calls++).toString(36)}`);
    const master = this.#runner.adapter.master(key);
    const text = await this.#flight.run(master, call.length, () => this.#ask(verb, call, layout, key));
    answers.take(call, text);
    sent.push({ call, key });
    if (text.length === call.length) return;
    await this.#current.renew(layout);
    await this.#send(verb, call.from(text.length), answers, sent);
  }

  async #ask(verb: Verb, { pieces, records }: Call, layout: Layout, onceKey: string): Promise<string> {
    const { readFrom, once, wait } = this.#settings;
    const keys = pieces.map((piece) => layout.key(piece));
    if (verb === 'has') {
      const options = { readOnly: readFrom === 'replica', repeatable: true };
      return String(await this.#runner.run(HAS, keys, [records], options));
    }
    if (wait || (once && verb === 'add')) {
      // Long enough for all attempts at this call, and for the check after WAIT.
      const life = 2 * this.#runner.timeout + (wait?.ms ?? 0);
      const args = [records, String(life), wait ? '1' : '0'];
      return String(await this.#runner.run(ADD_ONCE, [...keys, onceKey], args, { repeatable: true }));
    }
    return String(await this.#runner.run(ADD, keys, [records], { repeatable: verb === 'note' }));
  }

  /**
   * Waits until replicas have what was added. After a failover, WAIT speaks of a new connection and not of the calls, so
   * the calls are confirmed only if their master still remembers them.
   */
  async #confirm(sent: readonly Sent[], answers: Answers): Promise<void> {
    const { adapter } = this.#runner;
    const masters = groupBy(sent, ({ key }) => adapter.master(key));
    await Promise.all(masters.map((calls) => this.#confirmOn(calls, answers)));
    if (answers.failures.length > 0 || answers.confirmed?.every(Boolean)) return;
    const { replicas = 0 } = this.#settings.wait ?? {};
    answers.failures.push(
      new RedisFilterError('UNREPLICATED', `fewer than ${replicas} replicas have confirmed some of the keys`),
    );
  }

  async #confirmOn(calls: [Sent, ...Sent[]], answers: Answers): Promise<void> {
    const wait = this.#settings.wait as WaitOptions;
    try {
      if ((await this.#runner.wait(calls[0].key, wait)) < wait.replicas) return;
      const slots = groupBy(calls, ({ key }) => key.slice(0, key.indexOf('}')));
      await Promise.all(
        slots.map(async (calls) => {
          const keys = calls.map(({ key }) => key);
          const count = await this.#runner.run(EXISTS, keys, [], { repeatable: true });
          if (Number(count) === keys.length) for (const { call } of calls) answers.confirm(call);
        }),
      );
    } catch (error) {
      answers.failures.push(typedError(error));
    }
  }
}
