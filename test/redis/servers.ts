// Real Redis servers for tests: on free ports of this machine, with nothing on disk but a temporary folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands } from '../../tools/test-set.ts';
import { freePort } from '../shared/free-port.ts';
import { type Client, connect } from './clients.ts';

const HOST = '127.0.0.1';
const LOG = 'redis.log';

/** Waits until a condition holds. If it does not within 20 seconds, throws an error whose cause is its last one. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  let cause: unknown;
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) {
    try {
      if (await holds()) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`never: ${what}`, { cause });
}

/** The process of one server. */
export class Server {
  readonly port: number;
  readonly busPort: number;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'bloomery-redis-'));
  readonly #stop = (): void => this.stop();
  #process: ChildProcess | undefined;
  #admin: Client | undefined;

  private constructor(port: number, busPort: number, program: string, args: readonly string[]) {
    this.#program = program;
    this.port = port;
    this.busPort = busPort;
    this.#args = args;
    process.once('exit', this.#stop);
  }

  static start(...args: string[]): Promise<Server> {
    return Server.startAs(process.env['REDIS_SERVER'] ?? 'redis-server', ...args);
  }

  /** Starts another program that takes the arguments of `redis-server`. */
  static async startAs(program: string, ...args: string[]): Promise<Server> {
    const server = new Server(await freePort(), await freePort(), program, args);
    await server.run();
    return server;
  }

  /**
   * Starts the process, for the first time or after `kill`. Waits until it serves.
   *
   * @param isEmpty whether to delete what it has on disk, but for its place in the cluster
   */
  async run({ isEmpty = false } = {}): Promise<void> {
    // A process that was killed may have the port, and the file of its place in the cluster, for a moment.
    const before = this.#process;
    if (before && before.exitCode === null && before.signalCode === null) await once(before, 'exit');
    if (isEmpty) rmSync(join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
    const ports = ['--port', String(this.port), '--cluster-port', String(this.busPort), '--bind', HOST];
    const disk = ['--dir', this.#folder, '--logfile', LOG, '--save', '', '--appendonly', 'no'];
    const others = ['--repl-diskless-sync-delay', '0', '--enable-debug-command', 'local'];
    const args = [...ports, ...disk, ...others, ...this.#args];
    this.#process = spawn(this.#program, args, { stdio: 'ignore' });
    this.#process.once('error', (cause) => {
      throw new Error(`${this.#program} is missing, which these tests need: ${commands[this.#program]}`, { cause });
    });
    await until(`the server on port ${this.port} answers`, () => this.#connect());
  }

  async #connect(): Promise<boolean> {
    // A client that is refused would go on trying. With a limit: another program may have taken the port, and never answer.
    const { status } = spawnSync('redis-cli', ['-p', String(this.port), 'ping'], { timeout: 2000 });
    if (status !== 0) throw new Error(`redis-cli ended with ${status}; ${this.#program}: ${this.#log()}`);
    this.#admin = await connect('redis', [this.port]);
    return true;
  }

  #log(): string {
    const path = join(this.#folder, LOG);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-6).join('\n') : 'no log';
  }

  /** Sends a command to this server. */
  async send(...command: (string | number)[]): Promise<unknown> {
    return (this.#admin as Client).send(...command.map(String));
  }

  /** The value of a line of INFO. */
  async info(section: string, name: string): Promise<string | undefined> {
    return new RegExp(`^${name}:(.*)\r$`, 'm').exec(String(await this.send('info', section)))?.[1];
  }

  /** Waits until it is a replica that has what its master has. */
  async follows(): Promise<void> {
    await until('it follows', async () => (await this.info('replication', 'master_link_status')) === 'up');
  }

  /** Moves a key to another server. */
  migrate(key: string, to: Server): Promise<unknown> {
    return this.send('migrate', HOST, to.port, key, 0, 5000);
  }

  /** How often it has run a command. */
  async callsOf(command: string): Promise<number> {
    return Number(/calls=(\d+)/.exec((await this.info('commandstats', `cmdstat_${command}`)) ?? '')?.[1] ?? 0);
  }

  /** Stops the process until `resume`, as if it hung. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Ends the process at once, as a crash does. */
  kill(): void {
    this.#admin?.close();
    this.#admin = undefined;
    this.#process?.kill('SIGKILL');
  }

  stop(): void {
    this.kill();
    process.off('exit', this.#stop);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Moves all that a server has of a filter that forgets by some windows, as if its clock had been another one. */
export async function shiftWindows(server: Server, name: string, by: number): Promise<void> {
  const { id } = JSON.parse(String(await server.send('get', name)));
  const keys = (await server.send('keys', `${name}:{*`)) as string[];
  // The oldest generation first, so that none is written over.
  for (const key of keys.toSorted()) {
    if (key.endsWith(':filters')) await server.send('hincrby', key, `${id}.window`, by);
    const shifted = key.replace(/(\d+)(:\d+)$/, (_, generation, piece) => `${Number(generation) + by}${piece}`);
    if (shifted !== key) await server.send('rename', key, shifted);
  }
}

const SLOTS = 16384;

/** A cluster: masters that share the slots evenly, and perhaps a replica of each. */
export class Cluster {
  readonly masters: readonly Server[];
  readonly replicas: readonly Server[];

  private constructor(masters: readonly Server[], replicas: readonly Server[]) {
    this.masters = masters;
    this.replicas = replicas;
  }

  static async start(
    masterCount: number,
    { replicated = false, options = [] }: { replicated?: boolean; options?: readonly string[] } = {},
  ): Promise<Cluster> {
    const all = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500', ...options];
    const start = (): Promise<Server[]> => Promise.all(Array.from({ length: masterCount }, () => Server.start(...all)));
    const cluster = new Cluster(await start(), replicated ? await start() : []);
    await cluster.#join();
    return cluster;
  }

  get servers(): readonly Server[] {
    return [...this.masters, ...this.replicas];
  }

  get ports(): number[] {
    return this.servers.map(({ port }) => port);
  }

  /** Begins to move a slot to another master, as tools for resharding do. Returns what ends it. */
  async beginMove(slot: number, from: Server, to: Server): Promise<() => Promise<void>> {
    const idOf = async (each: Server): Promise<string> => String(await each.send('cluster', 'myid'));
    const [fromId, toId] = [await idOf(from), await idOf(to)];
    await to.send('cluster', 'setslot', slot, 'importing', fromId);
    await from.send('cluster', 'setslot', slot, 'migrating', toId);
    return async () => {
      for (const each of new Set([to, from, ...this.masters])) {
        await each.send('cluster', 'setslot', slot, 'node', toId);
      }
    };
  }

  async #join(): Promise<void> {
    const { masters, replicas, servers } = this;
    const [first] = masters as [Server];
    for (const [i, server] of servers.entries()) {
      await server.send('cluster', 'set-config-epoch', i + 1);
      if (server !== first) await server.send('cluster', 'meet', HOST, first.port, first.busPort);
    }
    for (const [i, server] of masters.entries()) {
      const from = Math.floor((i * SLOTS) / masters.length);
      const to = Math.floor(((i + 1) * SLOTS) / masters.length) - 1;
      await server.send('cluster', 'addslotsrange', from, to);
    }
    await this.#agree('all nodes know each other', (server) => this.#knows(server));
    for (const [i, server] of replicas.entries()) {
      await server.send('cluster', 'replicate', String(await (masters[i] as Server).send('cluster', 'myid')));
    }
    for (const server of replicas) await server.follows();
    await this.#agree('all slots are served, and all nodes list the replicas', async (server) => {
      const shown = JSON.stringify(await server.send('cluster', 'slots'));
      const state = String(await server.send('cluster', 'info'));
      return state.includes('cluster_state:ok') && this.ports.every((port) => shown.includes(String(port)));
    });
  }

  async #knows(server: Server): Promise<boolean> {
    const lines = String(await server.send('cluster', 'nodes')).match(/.+/g) ?? [];
    return lines.length === this.servers.length && lines.every((line) => !/handshake|noaddr/.test(line));
  }

  async #agree(what: string, holds: (server: Server) => Promise<boolean>): Promise<void> {
    for (const server of this.servers) await until(what, () => holds(server));
  }

  stop(): void {
    for (const server of this.servers) server.stop();
  }
}
