import {
  type Argument,
  adapterOf,
  type RedisAdapter,
  type RedisClient,
  type SendOptions,
} from '../../src/entries/redis.ts';

interface Sending {
  readonly key: string;
  readonly command: readonly Argument[];
  readonly options: SendOptions;
  /** The last part of the command, if it is text. */
  readonly last: string;
}

/** An adapter that calls `around` in place of each command, which may send it, or not. */
export function intercepted(
  client: RedisClient,
  around: (send: () => Promise<unknown>, sending: Sending) => Promise<unknown>,
): RedisAdapter {
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

/** A promise, and what resolves it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
