interface Waiting {
  readonly weight: number;
  readonly start: () => void;
}

interface Node {
  busy: number;
  readonly waiting: Waiting[];
}

/**
 * Limits how many keys are on their way to each master. Redis reads 16 KiB of a connection and runs all commands in
 * them before it serves another client, so small calls alone do not keep others from waiting.
 */
export class Flight {
  readonly #limit: number;
  readonly #nodes = new Map<unknown, Node>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs a task that sends `weight` keys to a master, as soon as there is room, in the order of the calls. */
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
    return new Promise((start) => node.waiting.push({ weight, start }));
  }

  #startNext(node: Node): void {
    for (let next = node.waiting[0]; next && this.#fits(node, next.weight); next = node.waiting[0]) {
      node.waiting.shift();
      node.busy += next.weight;
      next.start();
    }
  }
}
