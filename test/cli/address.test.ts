// Where the command line finds Redis.

import { describe, expect, it } from 'vitest';
import { CommandError } from '../../cli/errors.ts';
import { addressOf, serverOptions } from '../../cli/redis/address.ts';

const read = (text: string) => addressOf({ url: serverOptions.url.read(text, '--url'), cluster: false });

describe('an address of Redis', () => {
  it('has a host, a port, a database and a user', () => {
    expect(read('rediss://ada:p%40ss@[::1]:7000/15')).toEqual({
      host: '::1',
      port: 7000,
      username: 'ada',
      password: 'p@ss',
      database: 15,
      isEncrypted: true,
    });
    expect(read('redis://host')).toMatchObject({ port: 6379, database: 0, username: undefined, password: undefined });
    expect(read('redis://host/999999999')).toMatchObject({ database: 999_999_999 });
  });

  it.each([
    'redis://host/1000000000',
    'redis://host/9007199254740993',
    'redis://host/-1',
    'redis://host/1e3',
    'redis://host/1/2',
  ])('has a number that a server can have for its database: not %s', (text) => {
    expect(() => read(text)).toThrow(CommandError);
    expect(() => read(text)).toThrow('--url must be like redis://host:6379/0');
  });

  it('is not shown in errors, because it may hold a password', () => {
    for (const text of [
      'redis://ada:s3cr3t@host/x',
      'http://ada:s3cr3t@host',
      'redis://:s3cr3t@host:99999',
      's3cr3t',
    ]) {
      expect(() => read(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('s3cr3t') }));
    }
  });
});
