import type { RedisAdapter } from './clients/adapter.ts';
import { slotOf } from './cluster-slots.ts';
import { messageOf, typedError } from './error.ts';

/** An event of a filter in Redis that its answers do not show. */
export interface RedisFilterEvent {
  /**
   * - `retry`: a server or the connection refused a command for now, and it is sent again, every 20 ms: told of
   *   the attempts 1, 2, 4, 8 and so on;
   * - `redirect`: the same, because another server has the slot;
   * - `timeout`: a command was given up;
   * - `lost`: a part of the filter is missing;
   * - `slow`: a command took `slowAfter` milliseconds or more, those of the option `wait` that much longer than its `ms`.
   */
  readonly type: 'retry' | 'redirect' | 'timeout' | 'lost' | 'slow';
  /** The name of the filter. */
  readonly name: string;
  /** The master of the keys, as `host:port`, in a cluster whose client tells it. */
  readonly server: string | undefined;
  /** The slot of the keys, in a cluster. A part that is found missing where the whole filter is needed may have none. */
  readonly slot: number | undefined;
  /** How often the command has been sent. */
  readonly attempts: number;
  /** How long it has taken, in milliseconds; for `lost`, how long the call has taken. */
  readonly ms: number;
  /** What Redis, the client or the connection said last, if anything. */
  readonly reason: string | undefined;
}

/** Is told what happens. What it throws is a warning of the process, and does not concern the filter. */
export type RedisFilterListener = (event: RedisFilterEvent) => void;

/** The command, or the call, that something happened to. */
interface Happening {
  /** One of its keys in Redis, if it was about those of one slot. */
  readonly key?: string | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly begun: number;
  readonly attempts?: number;
  readonly error?: unknown;
}

interface Process {
  emitWarning(message: string, options: { code: string; detail: string }): void;
}

/** Emits a warning of the process, in runtimes that have warnings. */
export function warn(message: string, options: { code: string; detail: string }): void {
  const { process } = globalThis as { process?: Process };
  process?.emitWarning(message, options);
}

/** Tells a listener what happens to a filter. */
export class Events {
  readonly #name: string;
  readonly #adapter: RedisAdapter;
  readonly #listener: RedisFilterListener | undefined;
  #hasWarned = false;

  constructor(name: string, adapter: RedisAdapter, listener: RedisFilterListener | undefined) {
    this.#name = name;
    this.#adapter = adapter;
    this.#listener = listener;
  }

  emit(type: RedisFilterEvent['type'], { key, begun, attempts = 1, error }: Happening): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    const { cluster } = this.#adapter;
    const master = key === undefined ? key : this.#adapter.master(key);
    const event = {
      type,
      name: this.#name,
      server: typeof master === 'string' ? master : undefined,
      slot: cluster && key !== undefined ? slotOf(key) : undefined,
      attempts,
      ms: Date.now() - begun,
      reason: error === undefined ? undefined : messageOf(error),
    };
    // It may also be an async function.
    new Promise((resolve) => resolve(listener(event))).catch((reason) => this.#warn(reason));
  }

  /**
   * Does something about the whole filter, and tells if a part of it is missing.
   *
   * @param keyOf returns a key in the slot of that part, if it is known
   */
  async watch<T>(work: () => Promise<T>, keyOf: () => string | undefined = () => undefined): Promise<T> {
    const begun = Date.now();
    try {
      return await work();
    } catch (error) {
      if (typedError(error).code === 'LOST') this.emit('lost', { key: keyOf(), begun, error });
      throw error;
    }
  }

  /** Once, because a listener that fails may do so at each event. */
  #warn(reason: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const detail = reason instanceof Error ? String(reason.stack) : messageOf(reason);
    warn(`onEvent of "${this.#name}" has failed: ${messageOf(reason)}`, { code: 'BLOOMERY_LISTENER', detail });
  }
}
