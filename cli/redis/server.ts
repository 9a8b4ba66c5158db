import type { RedisClient, RedisFilterErrorCode } from 'bloomery/redis';
import { CommandError } from '../errors.ts';
import { type Address, addressOf, type ServerValues } from './address.ts';
import { type Connection, createConnection } from './clients.ts';

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** The errors that are about the server, not the filter. */
const ABOUT_SERVER: ReadonlySet<RedisFilterErrorCode> = new Set([
  'TIMEOUT',
  'CONNECTION',
  'REDIS',
  'NOPERM',
  'OOM',
  'READONLY',
]);

function shown({ host, port }: Address): string {
  return `Redis at ${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The message of an error of a client. */
function reasonOf(error: unknown): string {
  // ioredis puts a cluster's reason in `lastNodeError`. If several connection attempts fail, the error has no message,
  // only a code.
  const { lastNodeError, message, code } = error as NodeJS.ErrnoException & { readonly lastNodeError?: Error };
  const reason = lastNodeError?.message || message || code || String(error);
  // Messages of Valkey GLIDE have newlines in them, and an error is one line here.
  return reason.replaceAll('\n', '');
}

async function connect(connection: Connection): Promise<RedisClient> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CONNECT_TIMEOUT / 1000} s`)), CONNECT_TIMEOUT);
  });
  try {
    return await Promise.race([connection.connect(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Says of an error that is about the server which one that is. */
async function explained(error: unknown, server: string, emitted: unknown): Promise<unknown> {
  const { RedisFilterError } = await import('bloomery/redis');
  if (!(error instanceof RedisFilterError) || !ABOUT_SERVER.has(error.code)) return error;
  const reason = error.code === 'CONNECTION' ? reasonOf(emitted ?? error) : error.message;
  const hint = /\b(MOVED|CROSSSLOT)\b/.test(reason) ? '; it is one of a cluster: use --cluster' : '';
  return new CommandError(`${server}: ${reason}${hint}`, { cause: error });
}

/**
 * Connects to Redis, and closes the connection after `work`.
 *
 * @throws CommandError if no client is installed, if no server answers, or if the server fails
 */
export async function withRedis(values: ServerValues, work: (client: RedisClient) => Promise<void>): Promise<void> {
  const address = addressOf(values);
  if (values.cluster && address.database > 0) throw new CommandError('a cluster has no database but 0');
  const server = shown(address);
  const connection = await createConnection(address, values.cluster);
  // What a client emits says more than what it rejects with: that a connection was refused, not that it is closed.
  let emitted: unknown;
  connection.onError((error) => {
    emitted = error;
  });
  try {
    const client = await connect(connection).catch((error: unknown) => {
      throw new CommandError(`cannot connect to ${server}: ${reasonOf(emitted ?? error)}`, { cause: error });
    });
    await work(client);
  } catch (error) {
    throw await explained(error, server, emitted);
  } finally {
    connection.close();
  }
}
