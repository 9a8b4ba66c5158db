import { isReply, messageOf, RedisFilterError } from './error.ts';

interface Waiting {
  readonly weight: number;
  readonly start: () => void;
  readonly reject: (error: unknown) => void;
}

interface Node {
  busy: number;
  readonly waiting: Waiting[];
}

/** Whether an error means that a master does not answer. One that asked to try again until the time was over did. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof RedisFilterError)) return false;
  return error.code === 'CONNECTION' || (error.code === 'TIMEOUT' && !isReply(messageOf(error.cause)));
}

/**
 * Limits how many keys are on their way to each master. Small calls alone would not let other clients in: Redis reads
 * 16 KiB of a connection and runs all commands in them before it serves another client.
 */
export class InFlightLimit {
  readonly #limit: number;
  readonly #nodes = new Map<unknown, Node>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs a task that sends `weight` keys to a master as soon as there is room, in the order of the calls. If the master
   * does not answer a task, all waiting tasks fail with the same error, instead of one time limit after another.
   */
  async run<T>(master: unknown, weight: number, task: () => Promise<T>): Promise<T> {
    let node = this.#nodes.get(master);
    if (node === undefined) {
      node = { busy: 0, waiting: [] };
      this.#nodes.set(master, node);
    }
    if (!this.#fits(node, weight) || node.waiting.length > 0) await this.#turn(node, weight);
    else node.busy += weight;
    try {
      return await task();
    } catch (error) {
      if (isUnreachable(error)) for (const { reject } of node.waiting.splice(0)) reject(error);
      throw error;
    } finally {
      node.busy -= weight;
      this.#startNext(node);
      if (node.busy === 0) this.#nodes.delete(master);
    }
  }

  /** Whether there is room. A task larger than the limit runs alone. */
  #fits({ busy }: Node, weight: number): boolean {
    return busy === 0 || busy + weight <= this.#limit;
  }

  #turn(node: Node, weight: number): Promise<void> {
    return new Promise((start, reject) => node.waiting.push({ weight, start, reject }));
  }

  #startNext(node: Node): void {
    for (let next = node.waiting[0]; next && this.#fits(node, next.weight); next = node.waiting[0]) {
      node.waiting.shift();
      node.busy += next.weight;
      next.start();
    }
  }
}
