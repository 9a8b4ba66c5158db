import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server as Listener } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter, BloomFilter, load } from '../../src/index.ts';
import { keyed } from '../../src/keyed.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { type Result, runIn, temporaryFolder } from '../cli/run.ts';
import { type Library, libraries, makeProject, PASSWORD } from './clients.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { client, newName, server } from './one-server.ts';
import { freePort } from './servers.ts';

const { path, remove } = temporaryFolder();
const keysOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `key ${from + i}`);
const SIZE = { capacity: 20_000, seed: 7 };
const one = BlockedBloomFilter.from(keysOf(0, 5000), SIZE);
const other = BlockedBloomFilter.from(keysOf(5000, 10_000), SIZE);

beforeAll(() => {
  writeFileSync(path('one'), one.toBytes());
  writeFileSync(path('other'), other.toBytes());
  writeFileSync(path('small'), new BlockedBloomFilter({ capacity: 10 }).toBytes());
  for (const library of libraries) makeProject(path(library), library);
});

afterAll(() => {
  remove();
});

const url = (): string => `redis://127.0.0.1:${server.port}`;

/** Runs a command where one client is installed. */
function redis(library: Library, url: string, ...args: string[]): Promise<Result> {
  return runIn({ cwd: path(library), env: { ...process.env, REDIS_URL: url } }, 'redis', ...args);
}

describe.each(libraries)('with %s installed, the command line', (library) => {
  it('copies filters to the database of the URL, reads them by its name and password, and deletes them', async () => {
    const name = newName();
    const writing = `${url()}/3`;
    const pushed = await redis(library, writing, 'push', path('one'), name);
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    expect(pushed.stdout.toString()).toMatch(/^made 'filter:\d+': 26\.\d kB, about (4,9|5,0)\d\d keys\n$/);
    const added = await redis(library, writing, 'push', path('other'), name);
    expect(added.stdout.toString()).toMatch(/^added to 'filter:\d+': .*, about (9,9|10,0)\d\d keys\n$/);
    expect(await server.send('exists', name)).toBe(0);
    const reads = '+evalsha_ro +eval_ro +get +hget +getrange +strlen +bitcount +info +select +client'.split(' ');
    const password = `${PASSWORD}@/%`;
    await server.send('acl', 'setuser', 'reader', 'reset', 'on', `>${password}`, '%R~filter:*', ...reads);
    const login = `redis://reader:${encodeURIComponent(password)}@localhost:${server.port}/3`;
    const { stdout } = await redis(library, '', 'pull', name, '-o', '-', '-u', login);
    expect(load(stdout).equals(one.union(other))).toBe(true);
    const refused = await redis(library, login, 'push', path('other'), name);
    expect(refused.stderr).toMatch(/^bloomery: Redis at localhost:\d+: .*NOPERM/);
    expect(await redis(library, writing, 'delete', name)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the command line', () => {
  // Each command with one client.
  it.each([...libraries.entries()])(
    'says which server does not answer, and shows no password: %i, %s',
    async (i, library) => {
      const verb = ['push', 'pull', 'info', 'delete'][i] as string;
      const args = { push: [path('one'), 'x'], pull: ['x', '-o', path('none')] }[verb] ?? ['x'];
      const port = await freePort();
      const gone = await redis(library, `redis://ada:hunter2@127.0.0.1:${port}`, verb, ...args);
      expect(gone).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
      expect(gone.stderr).toMatch(
        /^bloomery: cannot connect to Redis at 127\.0\.0\.1:\d+: (?:.*ECONNREFUSED|.*Connection refused)[^\n]*\n$/,
      );
      const refused = await redis(library, `redis://ada:hunter2@127.0.0.1:${server.port}`, verb, ...args);
      expect(refused).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
      expect(refused.stderr).toMatch(/^bloomery: .*Redis at 127\.0\.0\.1:\d+: .*WRONGPASS[^\n]*\n$/);
      expect(gone.stderr + refused.stderr).not.toContain('hunter2');
    },
  );

  it('shows a filter, as JSON and in words', async () => {
    const name = newName();
    await redis('redis', url(), 'push', path('one'), name);
    const shown = await redis('redis', url(), 'info', name, '--json');
    expect(JSON.parse(shown.stdout.toString())).toEqual({
      kind: 'blocked',
      capacity: 20_000,
      errorRate: 0.01,
      bits: one.bits,
      hashes: 8,
      seed: 7,
      fillRatio: one.fillRatio(),
      estimatedCount: Math.round(one.estimateCount()),
      estimatedErrorRate: expect.closeTo(one.estimateErrorRate(), 4),
      redisBytes: one.byteLength,
      pieces: Math.ceil(one.byteLength / 4064),
    });
    expect((await redis('redis', url(), 'info', name)).stdout.toString()).toMatch(
      /^kind +blocked\nmade for +20,000 keys, error rate 0\.01\n[\s\S]*\nRedis +26\.\d kB \(26,\d{3} bytes\) in 7 pieces\n$/,
    );
  });

  it('refuses to add a filter of another size or seed, but replaces one', async () => {
    const name = newName();
    await redis('redis', url(), 'push', path('one'), name);
    const refused = await redis('redis', url(), 'push', path('small'), name);
    expect(refused).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(refused.stderr).toMatch(
      /^bloomery: 'filter:\d+' has [\d,]+ bits and the seed 7, but '.*small' has 256 bits .* --capacity 20000 --error-rate 0.01 --seed 7, or use --replace\n$/,
    );
    const replaced = await redis('redis', url(), 'push', path('small'), name, '--replace');
    expect(replaced.stdout.toString()).toMatch(/^replaced 'filter:\d+': 32 bytes, about 0 keys\n$/);
  });

  it('refuses filters with a secret, but deletes them', async () => {
    const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
    writeFileSync(path('keyed'), new (keyed(BlockedBloomFilter, secret))({ capacity: 10 }).toBytes());
    const refused = await redis('redis', url(), 'push', path('keyed'), newName());
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("keyed' was made under a secret")]);
    const names = [newName(), newName()] as const;
    await keyed(RedisBloomFilter, secret).open(client, names[0], { capacity: 10 });
    await keyed(RotatingRedisBloomFilter, secret).open(client, names[1], { capacity: 10, window: 1000 });
    const { code, stderr } = await redis('redis', url(), 'info', names[0]);
    const message = /^bloomery: "filter:\d+" was made under a secret \([0-9a-f]{8}\), got none: see keyed\n$/;
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    for (const name of names) {
      expect((await redis('redis', url(), 'delete', name)).code).toBe(0);
    }
  });

  it('deletes a filter, whatever has become of it, and says if there is none', async () => {
    const name = newName();
    await redis('redis', url(), 'push', path('one'), name);
    const deleted = await redis('redis', url(), 'delete', name);
    expect([deleted.code, deleted.stdout.toString(), deleted.stderr]).toEqual([0, `deleted '${name}'\n`, '']);
    const none = await redis('redis', url(), 'delete', name);
    const message = `bloomery: there is no filter '${name}'\n`;
    expect([none.code, none.stdout.toString(), none.stderr]).toEqual([2, '', message]);
    await redis('redis', url(), 'push', path('one'), name);
    await server.send('del', name);
    expect((await redis('redis', url(), 'delete', name)).code).toBe(0);
    await server.send('set', name, 'mine');
    const foreign = await redis('redis', url(), 'delete', name);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringMatching(/holds something other than a filter\n$/),
    ]);
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
  });

  it('shows a filter that forgets, but does not take it for one that can be a file', async () => {
    const name = newName();
    await RotatingRedisBloomFilter.open(client, name, { capacity: 1000, window: 3_600_000 });
    const { stdout } = await redis('redis', url(), 'info', name, '--json');
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      capacity: 1000,
      errorRate: 0.01,
      window: 3_600_000,
      seed: 0,
    });
    expect((await redis('redis', url(), 'info', name)).stdout.toString()).toMatch(/\nwindow +1 h 0 min\n/);
    for (const args of [
      ['pull', name, '-o', '-'],
      ['push', path('one'), name],
      ['push', path('one'), name, '--replace'],
    ]) {
      const { code, stderr } = await redis('redis', url(), ...args);
      expect([code, stderr]).toEqual([2, `bloomery: '${name}' is a filter that forgets, which no file can hold\n`]);
    }
  });

  it('refuses other kinds of filters, and names with braces', async () => {
    writeFileSync(path('classic'), BloomFilter.from(['a']).toBytes());
    const classic = await redis('redis', url(), 'push', path('classic'), 'x');
    expect(classic.stderr).toMatch(
      /is a classic filter, and Redis holds blocked ones: build it with --kind blocked\n$/,
    );
    const braces = await redis('redis', url(), 'push', path('one'), '{x}');
    expect(braces).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^bloomery: name must be .* without braces/),
    });
  });

  it('warns of more keys than the filter is made for', async () => {
    const full = BlockedBloomFilter.from(keysOf(0, 5000), { capacity: 1000 });
    writeFileSync(path('full'), full.toBytes());
    const { code, stderr } = await redis('redis', url(), 'push', path('full'), newName());
    expect(code).toBe(0);
    expect(stderr).toMatch(/^bloomery: warning: about [45],\d{3} keys are in a filter made for 1,000 keys: /);
  });

  it('passes over a client that is too old', async () => {
    const old = join(path('old'), 'node_modules', 'redis');
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, 'index.js'), 'exports.createClient = () => { throw new Error("too old"); };');
    const args = ['redis', 'info', newName(), '--url', url()];
    const none = await runIn({ cwd: path('old') }, ...args);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/^bloomery: a client for Redis must be installed/),
    ]);
    symlinkSync(resolve('test/redis/node_modules/ioredis'), join(path('old'), 'node_modules', 'ioredis'), 'junction');
    expect((await runIn({ cwd: path('old') }, ...args)).stderr).toMatch(/^bloomery: there is no filter/);
  });

  it('does not wait for ever for a server that says nothing', async () => {
    const silent: Listener = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => silent.once('listening', listening));
    const { port } = silent.address() as { port: number };
    const results = await Promise.all(
      libraries.map((library) => redis(library, `redis://127.0.0.1:${port}`, 'info', 'x')),
    );
    for (const { code, stderr } of results) {
      expect([code, stderr]).toEqual([
        2,
        `bloomery: cannot connect to Redis at 127.0.0.1:${port}: no answer within 10 s\n`,
      ]);
    }
    silent.close();
  });
});

describe('the command line, in a cluster', () => {
  it('deletes a filter', async () => {
    const url = `redis://127.0.0.1:${cluster.ports[1]}`;
    const name = newName();
    await redis('redis', url, 'push', path('one'), name, '--cluster');
    expect(await redis('redis', url, 'delete', name, '--cluster')).toMatchObject({ code: 0, stderr: '' });
    expect(await keysInCluster(`${name}*`)).toEqual([]);
  });

  it.each(libraries)('copies filters in and out: %s', async (library) => {
    const name = newName();
    const url = `redis://127.0.0.1:${cluster.ports[1]}`;
    const pushed = await redis(library, url, 'push', path('one'), name, '--cluster');
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await redis(library, url, 'pull', name, '-o', '-', '--cluster');
    expect(stdout.equals(one.toBytes())).toBe(true);
    const single = await redis(library, url, 'push', path('one'), newName());
    expect(single).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/; it is one of a cluster: use --cluster\n$/),
    });
    const alone = await redis(library, `redis://127.0.0.1:${server.port}`, 'info', name, '--cluster');
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cluster support disabled|No topology views found/),
    });
  });
});
