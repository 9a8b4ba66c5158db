import type { RedisClient } from 'bloomery/redis';
import { type Client, connect } from '../../test/redis/clients.ts';
import { Cluster, Server } from '../../test/redis/servers.ts';

/** The client's own limit, 5 seconds, is too short for pipelines on a busy machine. */
const more = { commandOptions: { timeout: 60_000 } };

/** One Redis server, or a cluster, and a client of it. */
export class Deployment {
  readonly name: string;
  readonly isCluster: boolean;
  readonly #servers: readonly Server[];
  readonly #client: Client;

  private constructor(name: string, servers: readonly Server[], client: Client, isCluster: boolean) {
    this.name = name;
    this.isCluster = isCluster;
    this.#servers = servers;
    this.#client = client;
  }

  static async single(): Promise<Deployment> {
    const server = await Server.start();
    return new Deployment('One server', [server], await connect('redis', [server.port], { more }), false);
  }

  static async cluster(masters: number): Promise<Deployment> {
    const { servers, ports } = await Cluster.start(masters);
    const client = await connect('redis', ports, { cluster: true, more });
    return new Deployment(`A cluster of ${masters} masters`, servers, client, true);
  }

  get client(): RedisClient {
    return this.#client.client;
  }

  /** The port of a server. */
  get port(): number {
    return (this.#servers[0] as Server).port;
  }

  async version(): Promise<string> {
    return String(await (this.#servers[0] as Server).info('server', 'redis_version'));
  }

  /** The processor time that all servers together have taken, in microseconds. */
  async processorTime(): Promise<number> {
    const texts = await Promise.all(this.#servers.map((server) => server.send('info', 'cpu')));
    const seconds = texts.flatMap((text) => [...String(text).matchAll(/^used_cpu_(?:user|sys):(.*)\r$/gm)]);
    return 1e6 * seconds.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.send('flushall', 'sync')));
  }

  close(): void {
    this.#client.close();
    for (const server of this.#servers) server.stop();
  }
}
