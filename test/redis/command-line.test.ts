import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyed } from '../../src/entries/keyed.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { BlockedBloomFilter, load } from '../../src/index.ts';
import { type Result, run as runHere, runIn, temporaryFolder } from '../cli/run.ts';
import { freePort } from '../shared/free-port.ts';
import { connect, type Library, libraries, makeProject, PASSWORD } from './clients.ts';
import { intercepted } from './intercept.ts';
import { cluster, keysInCluster } from './one-cluster.ts';
import { Relay } from './relay.ts';
import { forTest, newName } from './samples.ts';
import { Server } from './servers.ts';

const { path, remove } = temporaryFolder();

/** Runs a command in a process of its own, where one client is installed. */
function runAlone(library: string, REDIS_URL: string, line: string, more: object = {}): Promise<Result> {
  return runIn({ cwd: path(library), env: { ...process.env, ...more, REDIS_URL } }, 'redis', ...line.split(' '));
}

/** Runs a command where one client is installed. */
function redis(library: Library, url: string, line: string): Promise<Result> {
  // It may hang in a process in which it has failed to connect before.
  if (library === '@valkey/valkey-glide') return runAlone(library, url, line);
  process.chdir(path(library));
  process.env['REDIS_URL'] = url;
  return runHere('redis', ...line.split(' '));
}

const pem = (name: string): string => join(import.meta.dirname, 'tls', `${name}.pem`);
const keysOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `key ${from + i}`);
const SIZE = { capacity: 20_000, seed: 7 };
const one = BlockedBloomFilter.from(keysOf(0, 5000), SIZE);
const other = BlockedBloomFilter.from(keysOf(5000, 10_000), SIZE);
const ROTATING = { capacity: 10_000, window: 3_600_000 };
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i);
const files = {
  one,
  other,
  small: new BlockedBloomFilter({ capacity: 10 }),
  reseeded: new BlockedBloomFilter({ ...SIZE, seed: 8 }),
  full: BlockedBloomFilter.from(keysOf(0, 5000), { capacity: 1000 }),
  solid: new BlockedBloomFilter({ bits: 256 }).addMany(keysOf(0, 5000)),
  keyed: new (keyed(BlockedBloomFilter, SECRET))({ capacity: 10 }),
};
for (const library of libraries) {
  makeProject(path(library), library);
  for (const [name, filter] of Object.entries(files)) writeFileSync(join(path(library), name), filter.toBytes());
}

const tlsPort = await freePort();
const server = await Server.start(
  ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-ca-cert-file', pem('certificate')],
  ...['--tls-cert-file', pem('certificate'), '--tls-key-file', pem('key')],
);
const url = `redis://127.0.0.1:${server.port}`;
const clusterUrl = `redis://127.0.0.1:${cluster.ports[1]}`;

type Ending = readonly [code: number, stdout: unknown, stderr: unknown];
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const done = (stdout: RegExp): Ending => [0, like(stdout), ''];
const refused = (stderr: RegExp): Ending => [2, '', like(stderr)];

/** What expects that a command at an address ends with an exit code, stdout and stderr. */
const at =
  (library: Library, url: string, run = redis) =>
  async (line: string, ending: Ending): Promise<void> => {
    const { code, stdout, stderr } = await run(library, url, line);
    expect([code, stdout.toString(), stderr]).toEqual(ending);
  };
const told = at('redis', url);

/** Makes a user who may only read, and returns the name and the password as a URL has them. */
async function readerOf(each: Pick<Server, 'send'>): Promise<string> {
  const reads =
    '+evalsha_ro +eval_ro +get +hget +getrange +strlen +bitcount +info +time +select +client +cluster +ping'.split(' ');
  const password = `${PASSWORD}@/%`;
  await each.send('acl', 'setuser', 'reader', 'reset', 'on', `>${password}`, '%R~filter:*', ...reads);
  return `reader:${encodeURIComponent(password)}`;
}

const connection = await connect('redis', [server.port]);
const { client } = connection;
/** Takes connections, and says nothing. What is asked of it takes ten seconds, so that other tests run meanwhile. */
const silent = createServer().listen(0, '127.0.0.1');
await new Promise((listening) => silent.once('listening', listening));
const { port: silentPort } = silent.address() as { port: number };
const silentUrl = `redis://127.0.0.1:${silentPort}`;
const unanswered = Promise.all(libraries.map((library) => runAlone(library, silentUrl, 'info x')));

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
    const [plain, local] = [at(library, `${url}/3`), at(library, encrypted)];
    // The first is for clients in JavaScript, the second for those that are not.
    const trust = { NODE_EXTRA_CA_CERTS: pem('certificate'), SSL_CERT_FILE: pem('certificate') };
    const trusting = at(library, encrypted, (...args) => runAlone(...args, trust));
    await trusting(`push one ${name}`, done(/^made 'filter:\d+': 26\.\d kB, about (4,9|5,0)\d\d keys\n$/));
    await local(`info ${name}`, refused(/^bloomery: .*(self-signed certificate|invalid peer certificate)/));
    await plain(`push other ${name}`, done(/^added to 'filter:\d+': .*, about (9,9|10,0)\d\d keys\n$/));
    expect(await server.send('exists', name)).toBe(0);
    const login = `redis://${await readerOf(server)}@localhost:${server.port}/3`;
    const { stdout } = await redis(library, '', `pull ${name} -o - -u ${login}`);
    expect(load(stdout).equals(one.union(other))).toBe(true);
    await at(library, login)(`push other ${name}`, refused(/^bloomery: Redis at localhost:\d+: .*NOPERM/));
    await plain(`delete ${name}`, [0, `deleted '${name}'\n`, '']);
  });

  it('says which server does not answer, and shows no password', async () => {
    // Each command with one client.
    const line = ['push one x', 'pull x -o none', 'info x', 'delete x'][i] ?? '';
    await at('redis', 'redis://[::1]:1')('info x', refused(/^bloomery: cannot connect to Redis at \[::1\]:1: /));
    const unreachable = /^bloomery: cannot connect to Redis at 127\.0\.0\.1:\d+: .*(ECONNREFUSED|Connection refused)/;
    const refusal = /^bloomery: .*Redis at 127\.0\.0\.1:\d+: .*WRONGPASS/;
    for (const [port, message] of Object.entries({ [await freePort()]: unreachable, [server.port]: refusal })) {
      const { code, stdout, stderr } = await redis(library, `redis://ada:hunter2@127.0.0.1:${port}`, line);
      expect([code, stdout.toString(), stderr.split('\n')]).toEqual([2, '', [like(message), '']]);
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('copies filters in and out of a cluster, which it does not take for a single server', async () => {
    const name = newName();
    const clustered = at(library, clusterUrl);
    await clustered(`push one ${name} --cluster`, done(/^made /));
    const { stdout } = await redis(library, clusterUrl, `pull ${name} -o - --cluster`);
    expect(stdout.equals(one.toBytes())).toBe(true);
    const [reader] = await Promise.all(cluster.masters.map(readerOf));
    await at(library, clusterUrl.replace('//', `//${reader}@`))(`push other ${name} --cluster`, refused(/NOPERM/));
    await clustered(`push one ${newName()}`, refused(/; it is one of a cluster: use --cluster\n$/));
    await at(library, url)(`info ${name} --cluster`, refused(/cluster support disabled|No topology views found/));
    await clustered(`delete ${name} --cluster`, done(/^deleted /));
    expect(await keysInCluster(`${name}*`)).toEqual([]);
  });
});

describe('the command line', () => {
  it('shows a filter, as JSON and in words', async () => {
    const name = newName();
    await told(`push one ${name}`, done(/^made /));
    const { stdout } = await redis('redis', url, `info ${name} --json`);
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
    const words =
      /^kind +blocked\nmade for +20,000 keys, error rate 0\.01\n[\s\S]*\nRedis +26\.\d kB \(26,\d{3} bytes\) in 7 pieces\n$/;
    await told(`info ${name}`, done(words));
  });

  it('refuses to add a filter of another size or seed, but replaces one', async () => {
    const name = newName();
    await told(`push one ${name}`, done(/^made /));
    const message =
      /^bloomery: 'filter:\d+' has [\d,]+ bits and the seed 7, but 'small' has 256 bits .* --capacity 20000 --error-rate 0.01 --seed 7, or use --replace\n$/;
    await told(`push small ${name}`, refused(message));
    await told(`push reseeded ${name}`, refused(/ has [\d,]+ bits and the seed 7, but 'reseeded' has .* the seed 8: /));
    await told(`push small ${name} --replace`, done(/^replaced 'filter:\d+': 32 bytes, about 0 keys\n$/));
  });

  it('refuses names with braces, and filters with a secret, but deletes these', async () => {
    await told('push one {x}', refused(/^bloomery: name must be .* without braces/));
    await told(`push keyed ${newName()}`, refused(/keyed' was made under a secret/));
    const names = [newName(), newName()] as const;
    await keyed(RedisBloomFilter, SECRET).open(client, names[0], { capacity: 10 });
    await keyed(RotatingRedisBloomFilter, SECRET).open(client, names[1], { capacity: 10, window: 1000 });
    const message = /^bloomery: "filter:\d+" was made under a secret \([0-9a-f]{8}\), got none: see keyed\n$/;
    await told(`info ${names[0]}`, refused(message));
    for (const name of names) await told(`delete ${name}`, done(/^deleted /));
  });

  it('deletes a filter, whatever has become of it, and says if there is none', async () => {
    const name = newName();
    await told(`delete ${name}`, [2, '', `bloomery: there is no filter '${name}'\n`]);
    await told(`push one ${name}`, done(/^made /));
    await server.send('del', name);
    await told(`delete ${name}`, [0, `deleted '${name}'\n`, '']);
    await server.send('set', name, 'mine');
    await told(`delete ${name}`, refused(/holds something other than a filter\n$/));
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
  });

  it('shows a filter that forgets', async () => {
    const name = newName();
    const { bits, byteLength, pieces } = await RotatingRedisBloomFilter.open(client, name, ROTATING);
    const { stdout } = await redis('redis', url, `info ${name} --json`);
    expect(await server.send('keys', `${name}*`)).toEqual([name]);
    expect(JSON.parse(stdout.toString())).toEqual({
      ...{ ...ROTATING, kind: 'blocked', errorRate: 0.01, bits, seed: 0, redisBytes: byteLength, pieces: 2 * pieces },
    });
    await told(`info ${name}`, done(/\nwindow +1 h 0 min\n/));
  });

  it('saves a filter that forgets, and brings it back, but takes it for no other', async () => {
    const [name, copy, plain] = [newName(), newName(), newName()] as const;
    await (await RotatingRedisBloomFilter.open(client, name, ROTATING)).addMany(keysOf(0, 100));
    const reader = at('redis', url.replace('//', `//${await readerOf(server)}@`));
    await reader(`pull ${name} -o rotating`, [0, '', expect.any(String)]);
    expect(RotatingBloomFilter.fromBytes(readFileSync('rotating')).omit(keysOf(0, 100))).toEqual([]);
    await told(`push rotating ${copy}`, done(/^made 'filter:\d+': [\d.]+ kB, about (99|10[0-9]) keys\n$/));
    await told(`push rotating ${copy}`, done(/^added to 'filter:\d+': /));
    const restored = await RotatingRedisBloomFilter.open(client, copy, ROTATING);
    expect(await restored.omit(keysOf(0, 100))).toEqual([]);
    await told(`push one ${plain}`, done(/^made /));
    await told(`push one ${name}`, refused(/^bloomery: 'filter:\d+' is a filter that forgets, and 'one' is not\n$/));
    const differs = /^bloomery: 'rotating' is a filter that forgets, and 'filter:\d+' is not\n$/;
    await told(`push rotating ${plain}`, refused(differs));
    const kept = /is a filter that forgets, which is not replaced: delete it first\n$/;
    await told(`push rotating ${copy} --replace`, refused(kept));
    writeFileSync('large', new RotatingBloomFilter({ ...ROTATING, capacity: 100_000, generations: 2 }).toBytes());
    await told(`push large ${copy}`, refused(/has [\d,]+ bits and the seed 0, in each window\n$/));
    writeFileSync('four', new RotatingBloomFilter(ROTATING).toBytes());
    await told(`push four ${newName()}`, refused(/^bloomery: generations of filter must be 2, as in Redis, got 4\n$/));
  });

  it('finishes what an earlier push of a filter that forgets has left unfinished', async () => {
    const name = newName();
    const local = new RotatingBloomFilter({ ...ROTATING, generations: 2 }).addMany(keysOf(0, 100));
    writeFileSync('half', local.toBytes());
    const dying = intercepted(client, (send, { command }) =>
      String(command[4]).includes(':merge:') ? Promise.reject(new TypeError('it died')) : send(),
    );
    await expect(RotatingRedisBloomFilter.fromLocal(dying, name, local)).rejects.toThrow('it died');
    await told(`check ${name}`, [1, like(/UNFINISHED/), '']);
    await told(`push half ${name}`, done(/^made 'filter:\d+': /));
    await told(`check ${name}`, [0, like(/^ok: /), '']);
    await told(`push half ${name}`, done(/^added to 'filter:\d+': /));
  });

  it('warns of more keys than the filter is made for, and of more than can be counted', async () => {
    const warning = like(/^bloomery: warning: .* in a filter made for [\d,]+ keys: /);
    await told(`push full ${newName()}`, [0, like(/^made .*, about [45],\d{3} keys\n$/), warning]);
    await told(`push solid ${newName()}`, [0, like(/^made .*, more keys than can be estimated\n$/), warning]);
  });

  it('passes over a client that is too old', async () => {
    const modules = join(path('old'), 'node_modules');
    mkdirSync(join(modules, 'redis'), { recursive: true });
    writeFileSync(join(modules, 'redis', 'index.js'), 'exports.createClient = () => { throw new Error("too old"); };');
    const asked = async (): Promise<string> => (await runAlone('old', url, 'info none')).stderr;
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
  if (name === 'other') return Buffer.from('-WRONGTYPE Operation against a key\r\n');
  if (name !== 'taken') return Buffer.from('-ERR not found\r\n');
  const before = iterator === '0' ? -1 : replies.findIndex((reply) => String(reply.iterator) === iterator);
  const reply = replies[before + 1];
  if (!reply) return Buffer.from('-ERR no such iterator\r\n');
  const head = Buffer.from(`*2\r\n:${reply.iterator}\r\n$${reply.data.length}\r\n`);
  return Buffer.concat([head, reply.data, Buffer.from('\r\n')]);
}

it.each(libraries)('filters of the module are saved as files, or missed in words that say why: %s', async (library) => {
  const relay = await forTest(Relay.start(server.port));
  relay.answerWith(answer);
  const relayed = at(library, `redis://127.0.0.1:${relay.port}`);
  await relayed('pull --module taken -o dump', [0, expect.any(String), '']);
  expect(dump.links).toBe(3);
  expect(readFileSync(join(path(library), 'dump')).equals(dump.toBytes())).toBe(true);
  for (const name of ['nobody', 'other']) {
    const none = new RegExp(`^bloomery: '${name}' is not a filter of the module RedisBloom\n$`);
    await relayed(`pull --module ${name} -o dump`, refused(none));
  }
  await server.send('set', 'text', 'hello');
  const message = /^bloomery: this server does not have the module RedisBloom\n$/;
  await at(library, url)('pull --module text -o dump', refused(message));
});
