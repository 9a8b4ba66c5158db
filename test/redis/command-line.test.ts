import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { keyed } from '../../src/entries/keyed.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { BlockedBloomFilter, load } from '../../src/index.ts';
import { type Result, run as runHere, runIn, temporaryFolder } from '../cli/run.ts';
import { connect, type Library, libraries, makeProject, PASSWORD } from './clients.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { Relay } from './relay.ts';
import { freePort, Server } from './servers.ts';

const { path, remove } = temporaryFolder();
for (const library of libraries) makeProject(path(library), library);

/** Runs a command in a process of its own, where one client is installed. */
function runAlone(library: string, REDIS_URL: string, args: string[], more: object = {}): Promise<Result> {
  return runIn({ cwd: path(library), env: { ...process.env, ...more, REDIS_URL } }, 'redis', ...args);
}

/** Runs a command where one client is installed. */
function redis(library: Library, url: string, ...args: string[]): Promise<Result> {
  // It may hang in a process in which it has failed to connect before.
  if (library === '@valkey/valkey-glide') return runAlone(library, url, args);
  process.chdir(path(library));
  process.env['REDIS_URL'] = url;
  return runHere('redis', ...args);
}

const pem = (name: string): string => join(import.meta.dirname, 'tls', `${name}.pem`);
const keysOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `key ${from + i}`);
const SIZE = { capacity: 20_000, seed: 7 };
const one = BlockedBloomFilter.from(keysOf(0, 5000), SIZE);
const other = BlockedBloomFilter.from(keysOf(5000, 10_000), SIZE);
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i);
const files = {
  one,
  other,
  small: new BlockedBloomFilter({ capacity: 10 }),
  full: BlockedBloomFilter.from(keysOf(0, 5000), { capacity: 1000 }),
  solid: new BlockedBloomFilter({ bits: 256 }).addMany(keysOf(0, 5000)),
  keyed: new (keyed(BlockedBloomFilter, SECRET))({ capacity: 10 }),
};
for (const [name, filter] of Object.entries(files)) writeFileSync(path(name), filter.toBytes());

const tlsPort = await freePort();
const server = await Server.start(
  ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-ca-cert-file', pem('certificate')],
  ...['--tls-cert-file', pem('certificate'), '--tls-key-file', pem('key')],
);
const url = `redis://127.0.0.1:${server.port}`;
const clusterUrl = `redis://127.0.0.1:${cluster.ports[1]}`;
let names = 0;
const newName = (): string => `filter:${names++}`;

/** What a command ends with: its exit code, stdout and stderr. */
async function run(library: Library, url: string, ...args: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await redis(library, url, ...args);
  return [code, stdout.toString(), stderr];
}
const ask = (...args: string[]): Promise<unknown[]> => run('redis', url, ...args);
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const done = (stdout: RegExp): unknown[] => [0, like(stdout), ''];
const refused = (stderr: RegExp): unknown[] => [2, '', like(stderr)];

const connection = await connect('redis', [server.port]);
const { client } = connection;
/** Takes connections, and says nothing. What is asked of it takes ten seconds, so that other tests run meanwhile. */
const silent = createServer().listen(0, '127.0.0.1');
await new Promise((listening) => silent.once('listening', listening));
const { port: silentPort } = silent.address() as { port: number };
const unanswered = Promise.all(
  libraries.map((library) => runAlone(library, `redis://127.0.0.1:${silentPort}`, ['info', 'x'])),
);

const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  remove();
  silent.close();
  connection.close();
  server.stop();
});

describe.each([...libraries.entries()])('the command line with client %i, %s,', (i, library) => {
  it('copies filters to the database of the URL, by TLS, names and passwords, and deletes them', async () => {
    const name = newName();
    const encrypted = `rediss://127.0.0.1:${tlsPort}/3`;
    // The first is for clients in JavaScript, the second for those that are not.
    const trust = { NODE_EXTRA_CA_CERTS: pem('certificate'), SSL_CERT_FILE: pem('certificate') };
    const pushed = await runAlone(library, encrypted, ['push', path('one'), name], trust);
    expect([pushed.code, pushed.stdout.toString(), pushed.stderr]).toEqual(
      done(/^made 'filter:\d+': 26\.\d kB, about (4,9|5,0)\d\d keys\n$/),
    );
    expect(await run(library, encrypted, 'info', name)).toEqual(
      refused(/^bloomery: .*(self-signed certificate|invalid peer certificate)/),
    );
    expect(await run(library, `${url}/3`, 'push', path('other'), name)).toEqual(
      done(/^added to 'filter:\d+': .*, about (9,9|10,0)\d\d keys\n$/),
    );
    expect(await server.send('exists', name)).toBe(0);
    const reads = '+evalsha_ro +eval_ro +get +hget +getrange +strlen +bitcount +info +select +client'.split(' ');
    const password = `${PASSWORD}@/%`;
    await server.send('acl', 'setuser', 'reader', 'reset', 'on', `>${password}`, '%R~filter:*', ...reads);
    const login = `redis://reader:${encodeURIComponent(password)}@localhost:${server.port}/3`;
    const { stdout } = await redis(library, '', 'pull', name, '-o', '-', '-u', login);
    expect(load(stdout).equals(one.union(other))).toBe(true);
    expect(await run(library, login, 'push', path('other'), name)).toEqual(
      refused(/^bloomery: Redis at localhost:\d+: .*NOPERM/),
    );
    expect(await run(library, `${url}/3`, 'delete', name)).toEqual([0, `deleted '${name}'\n`, '']);
  });

  it('says which server does not answer, and shows no password', async () => {
    // Each command with one client.
    const words =
      [
        ['push', path('one'), 'x'],
        ['pull', 'x', '-o', path('none')],
        ['info', 'x'],
        ['delete', 'x'],
      ][i] ?? [];
    for (const [port, message] of [
      [
        await freePort(),
        /^bloomery: cannot connect to Redis at 127\.0\.0\.1:\d+: .*(ECONNREFUSED|Connection refused).*\n$/,
      ],
      [server.port, /^bloomery: .*Redis at 127\.0\.0\.1:\d+: .*WRONGPASS.*\n$/],
    ] as const) {
      const [code, stdout, stderr] = await run(library, `redis://ada:hunter2@127.0.0.1:${port}`, ...words);
      expect([code, stdout, stderr]).toEqual(refused(message));
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('copies filters in and out of a cluster, which it does not take for a single server', async () => {
    const name = newName();
    expect(await run(library, clusterUrl, 'push', path('one'), name, '--cluster')).toEqual(done(/^made /));
    const { stdout } = await redis(library, clusterUrl, 'pull', name, '-o', '-', '--cluster');
    expect(stdout.equals(one.toBytes())).toBe(true);
    expect(await run(library, clusterUrl, 'push', path('one'), newName())).toEqual(
      refused(/; it is one of a cluster: use --cluster\n$/),
    );
    expect(await run(library, url, 'info', name, '--cluster')).toEqual(
      refused(/cluster support disabled|No topology views found/),
    );
    expect(await run(library, clusterUrl, 'delete', name, '--cluster')).toEqual(done(/^deleted /));
    expect(await keysInCluster(`${name}*`)).toEqual([]);
  });
});

describe('the command line', () => {
  it('shows a filter, as JSON and in words', async () => {
    const name = newName();
    await ask('push', path('one'), name);
    const { stdout } = await redis('redis', url, 'info', name, '--json');
    expect(JSON.parse(stdout.toString())).toEqual({
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
    expect(await ask('info', name)).toEqual(
      done(
        /^kind +blocked\nmade for +20,000 keys, error rate 0\.01\n[\s\S]*\nRedis +26\.\d kB \(26,\d{3} bytes\) in 7 pieces\n$/,
      ),
    );
  });

  it('refuses to add a filter of another size or seed, but replaces one', async () => {
    const name = newName();
    await ask('push', path('one'), name);
    const message =
      /^bloomery: 'filter:\d+' has [\d,]+ bits and the seed 7, but '.*small' has 256 bits .* --capacity 20000 --error-rate 0.01 --seed 7, or use --replace\n$/;
    expect(await ask('push', path('small'), name)).toEqual(refused(message));
    const replaced = await ask('push', path('small'), name, '--replace');
    expect(replaced).toEqual(done(/^replaced 'filter:\d+': 32 bytes, about 0 keys\n$/));
  });

  it('refuses names with braces, and filters with a secret, but deletes these', async () => {
    expect(await ask('push', path('one'), '{x}')).toEqual(refused(/^bloomery: name must be .* without braces/));
    expect(await ask('push', path('keyed'), newName())).toEqual(refused(/keyed' was made under a secret/));
    const names = [newName(), newName()] as const;
    await keyed(RedisBloomFilter, SECRET).open(client, names[0], { capacity: 10 });
    await keyed(RotatingRedisBloomFilter, SECRET).open(client, names[1], { capacity: 10, window: 1000 });
    const message = /^bloomery: "filter:\d+" was made under a secret \([0-9a-f]{8}\), got none: see keyed\n$/;
    expect(await ask('info', names[0])).toEqual(refused(message));
    for (const name of names) expect(await ask('delete', name)).toEqual(done(/^deleted /));
  });

  it('deletes a filter, whatever has become of it, and says if there is none', async () => {
    const name = newName();
    expect(await ask('delete', name)).toEqual([2, '', `bloomery: there is no filter '${name}'\n`]);
    await ask('push', path('one'), name);
    await server.send('del', name);
    expect(await ask('delete', name)).toEqual([0, `deleted '${name}'\n`, '']);
    await server.send('set', name, 'mine');
    expect(await ask('delete', name)).toEqual(refused(/holds something other than a filter\n$/));
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
  });

  it('shows a filter that forgets, but does not take it for one that can be a file', async () => {
    const name = newName();
    const size = { capacity: 10_000, window: 3_600_000 };
    const { bits, byteLength, pieces } = await RotatingRedisBloomFilter.open(client, name, size);
    const { stdout } = await redis('redis', url, 'info', name, '--json');
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
    expect(JSON.parse(stdout.toString())).toEqual({
      ...{ ...size, kind: 'blocked', errorRate: 0.01, bits, seed: 0, redisBytes: byteLength, pieces: 2 * pieces },
    });
    expect(await ask('info', name)).toEqual(done(/\nwindow +1 h 0 min\n/));
    for (const args of [
      ['pull', name, '-o', '-'],
      ['push', path('one'), name],
      ['push', path('one'), name, '--replace'],
    ]) {
      const message = `bloomery: '${name}' is a filter that forgets, which no file can hold\n`;
      expect(await ask(...args)).toEqual([2, '', message]);
    }
  });

  it('warns of more keys than the filter is made for, and of more than can be counted', async () => {
    for (const [file, keys] of [
      ['full', 'about [45],\\d{3} keys'],
      ['solid', 'more keys than can be estimated'],
    ] as const) {
      const [code, stdout, stderr] = await ask('push', path(file), newName());
      expect([code, stdout]).toEqual([0, like(new RegExp(`^made .*, ${keys}\n$`))]);
      expect(stderr).toMatch(/^bloomery: warning: .* in a filter made for [\d,]+ keys: /);
    }
  });

  it('passes over a client that is too old', async () => {
    const modules = join(path('old'), 'node_modules');
    mkdirSync(join(modules, 'redis'), { recursive: true });
    writeFileSync(join(modules, 'redis', 'index.js'), 'exports.createClient = () => { throw new Error("too old"); };');
    const asked = async (): Promise<string> => (await runAlone('old', url, ['info', 'none'])).stderr;
    expect(await asked()).toMatch(/^bloomery: a client for Redis must be installed/);
    makeProject(path('old'), 'ioredis');
    expect(await asked()).toMatch(/^bloomery: there is no filter/);
  });

  it('does not wait for ever for a server that says nothing', async () => {
    for (const { code, stderr } of await unanswered) {
      const message = `bloomery: cannot connect to Redis at 127.0.0.1:${silentPort}: no answer within 10 s\n`;
      expect([code, stderr]).toEqual([2, message]);
    }
  });
});

// The servers of the tests do not have the module RedisBloom. Its replies are those of test/foreign/redisbloom.test.ts.

const dump = new RedisBloomDump({ capacity: 10 }).addMany(keysOf(0, 50));
const replies = [...dump.toScanDump(), { iterator: 0, data: new Uint8Array(0) }];

/** The bytes of a reply to a request, if it is BF.SCANDUMP. */
function answer(request: Buffer): Buffer | undefined {
  const [, , command, , name, , iterator] = request.toString('latin1').split('\r\n');
  if (command?.toLowerCase() !== 'bf.scandump') return undefined;
  if (name !== 'taken') return Buffer.from('-ERR not found\r\n');
  const before = iterator === '0' ? -1 : replies.findIndex((reply) => String(reply.iterator) === iterator);
  const reply = replies[before + 1];
  if (!reply) return Buffer.from('-ERR no such iterator\r\n');
  const head = Buffer.from(`*2\r\n:${reply.iterator}\r\n$${reply.data.length}\r\n`);
  return Buffer.concat([head, reply.data, Buffer.from('\r\n')]);
}

it.each(libraries)('filters of the module are saved as files, or missed in words that say why: %s', async (library) => {
  const relay = await Relay.start(server.port);
  onTestFinished(() => relay.close());
  relay.answerWith(answer);
  const file = path(`${library}.dump`);
  const pull = (port: number, name: string) =>
    redis(library, `redis://127.0.0.1:${port}`, 'pull', '--module', name, '-o', file);
  const refused = (why: string): object => ({ code: 2, stderr: `bloomery: ${why} the module RedisBloom\n` });
  expect(await pull(relay.port, 'taken')).toMatchObject({ code: 0, stderr: '' });
  expect(dump.links).toBe(3);
  expect(readFileSync(file).equals(dump.toBytes())).toBe(true);
  expect(await pull(relay.port, 'nobody')).toMatchObject(refused("'nobody' is not a filter of"));
  await server.send('set', 'text', 'hello');
  expect(await pull(server.port, 'text')).toMatchObject(refused('this server does not have'));
});
