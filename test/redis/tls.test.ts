import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter } from '../../src/redis.ts';
import { runIn, temporaryFolder } from '../cli/run.ts';
import { type Client, connect, type Library, libraries, makeProject } from './clients.ts';
import { freePort, Server } from './servers.ts';

const pem = (name: string): string => join(import.meta.dirname, 'tls', `${name}.pem`);
const ca = readFileSync(pem('certificate'), 'utf8');
const { path, remove } = temporaryFolder();
const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
const filter = BlockedBloomFilter.from(keys);

let server: Server;
let port: number;
let connection: Client;

beforeAll(async () => {
  writeFileSync(path('saved'), filter.toBytes());
  for (const library of libraries) makeProject(path(library), library);
  port = await freePort();
  server = await Server.start(
    ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', pem('certificate'), '--tls-key-file', pem('key'), '--tls-ca-cert-file', pem('certificate')],
  );
  connection = await connect('redis', [server.port]);
}, 60_000);

afterAll(() => {
  connection.close();
  server.stop();
  remove();
});

/** The options of a client that trusts the certificate. */
function trusting(library: Library): object {
  if (library === '@valkey/valkey-glide') {
    return { useTLS: true, advancedConfiguration: { tlsAdvancedConfiguration: { rootCertificates: ca } } };
  }
  return library === 'redis' ? { url: `rediss://127.0.0.1:${port}`, socket: { ca } } : { tls: { ca } };
}

describe.each(libraries)('over TLS with %s', (library) => {
  it('filters take keys and find them', async () => {
    const { client, close } = await connect(library, [port], { more: trusting(library) });
    const seen = await RedisBloomFilter.open(client, `tls:${library}`, { capacity: 1000 });
    await seen.addMany(keys);
    expect(await seen.omit([...keys, 'nobody'])).toEqual(['nobody']);
    close();
  });

  it('the command line pushes, and pulls nothing without trust', async () => {
    const environment = { ...process.env, REDIS_URL: `rediss://127.0.0.1:${port}` };
    const run = (extra: object, ...args: string[]) =>
      runIn({ cwd: path(library), env: { ...environment, ...extra } }, 'redis', ...args);
    // The first is for clients in JavaScript, the second for those that are not.
    const trust = { NODE_EXTRA_CA_CERTS: pem('certificate'), SSL_CERT_FILE: pem('certificate') };
    expect((await run(trust, 'push', path('saved'), `pushed:${library}`)).code).toBe(0);
    const pushed = await RedisBloomFilter.open(connection.client, `pushed:${library}`);
    expect((await pushed.toLocal()).equals(filter)).toBe(true);
    const { code, stderr } = await run({}, 'pull', `pushed:${library}`, '-o', '-');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/self-signed certificate|invalid peer certificate/),
    });
  });
});
