import {
  type Argument,
  adapterOf,
  type RedisAdapter,
  type RedisClient,
  type SendOptions,
} from '../../src/entries/redis.ts';

export interface Sending {
  readonly key: string;
  readonly command: readonly Argument[];
  readonly options: SendOptions;
  /** The last part of the command, if it is text. */
  readonly last: string;
}

type Around = (send: () => Promise<unknown>, sending: Sending) => Promise<unknown>;

/** An adapter that calls `around` in place of each command, which may send it, or not. */
export function intercepted(client: RedisClient, around: Around): RedisAdapter {
  const adapter = adapterOf(client);
  return {
    ...adapter,
    send: (key, command, options) =>
      around(() => adapter.send(key, command, options), { key, command, options, last: String(command.at(-1)) }),
  };
}

/** Whether a command gives the name to a filter that was made out of sight: the only one with three such keys. */
export function isPublishing({ command }: Sending, name: string): boolean {
  return command[2] === '3' && command[3] === name;
}

/** An adapter that does something once, before it sends a command of some sort. */
export function interrupted(
  client: RedisClient,
  at: (sending: Sending) => boolean,
  work: () => Promise<unknown>,
): RedisAdapter {
  let isDone = false;
  return intercepted(client, async (send, sending) => {
    if (!isDone && at(sending)) {
      isDone = true;
      await work();
    }
    return send();
  });
}

/** An adapter that does not send commands of some sort until `open` is called, and when it is given the first of them. */
export function held(client: RedisClient, at: (sending: Sending) => boolean) {
  const [reached, goOn] = [gate(), gate()];
  const slow = intercepted(client, async (send, sending) => {
    if (at(sending)) {
      reached.open();
      await goOn.passed;
    }
    return send();
  });
  return { slow, arrived: reached.passed, open: goOn.open };
}

/** A promise, and what resolves it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
