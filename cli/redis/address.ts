import { flag, type Option, type Options } from '../args/command.ts';
import { CommandError } from '../errors.ts';

/** Where a server is, and as whom to log in. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly isEncrypted: boolean;
}

const DEFAULT_URL = 'redis://127.0.0.1:6379';
const DEFAULT_PORT = 6379;

/** Reads a URL. Its errors do not show it, because it may contain a password. */
function readAddress(text: string, name: string): Address {
  try {
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
    const [, database] = /^\/?(\d{0,9})$/.exec(pathname) ?? [];
    if (!/^rediss?:$/.test(protocol) || hostname === '' || database === undefined || search || hash) throw new Error();
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || DEFAULT_PORT),
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
      database: Number(database),
      isEncrypted: protocol === 'rediss:',
    };
  } catch {
    const wanted = 'redis://host:6379/0, or rediss:// with TLS, with user:password@ before the host if there are any';
    throw new CommandError(`${name} must be like ${wanted}; write their special characters as in %40`);
  }
}

const urlOption: Option<Address | undefined> = {
  short: 'u',
  argument: 'url',
  description: `where Redis is (default: the variable REDIS_URL, or ${DEFAULT_URL})`,
  absent: undefined,
  read: readAddress,
};

export const serverOptions = {
  url: urlOption,
  cluster: flag('the server is one of a cluster'),
} satisfies Options;

/** What users say of the server. */
export interface ServerValues {
  readonly url: Address | undefined;
  readonly cluster: boolean;
}

/** Where the server is: as given, or as the environment says. */
export function addressOf({ url }: ServerValues): Address {
  return url ?? readAddress(process.env['REDIS_URL'] || DEFAULT_URL, 'REDIS_URL');
}
