// What happens to the servers.

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { randomFrom } from '../../shared/random.ts';
import { type Cluster, type Server, until } from '../servers.ts';

const run = promisify(execFile);

type Random = ReturnType<typeof randomFrom>;
/** Sets a key on its master for ten seconds. */
type SetKey = (key: string, value: string) => Promise<unknown>;

/** How many slots a master serves. */
async function slotsOf(master: Server): Promise<number> {
  const nodes = String(await master.send('cluster', 'nodes'));
  const slots = /myself.* connected(.*)/.exec(nodes)?.[1] ?? '';
  const ranges = slots.matchAll(/ (\d+)(?:-(\d+))?(?= |$)/g);
  return [...ranges].reduce((sum, [, first, last = first]) => sum + Number(last) - Number(first) + 1, 0);
}

/** A cluster, and where chance strikes. */
export class Victim {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #set: SetKey;

  constructor(cluster: Cluster, random: Random, set: SetKey) {
    this.#cluster = cluster;
    this.#random = random;
    this.#set = set;
  }

  async #withRole(role: 'master' | 'slave'): Promise<Server[]> {
    const { servers } = this.#cluster;
    const roles = await Promise.all(servers.map((server) => server.info('replication', 'role')));
    return servers.filter((_, i) => roles[i] === role);
  }

  async #any(role: 'master' | 'slave' = 'master'): Promise<Server> {
    const servers = await this.#withRole(role);
    return servers[this.#random(servers.length)] as Server;
  }

  async #onMasters(...command: (string | number)[]): Promise<void> {
    for (const master of await this.#withRole('master')) await master.send(...command);
  }

  /** A master dies, and comes back after some time. */
  async #restart(ms: number, options = {}): Promise<void> {
    const master = await this.#any();
    master.kill();
    await sleep(ms);
    await master.run(options);
  }

  async #hang(server: Server, ms: number): Promise<void> {
    server.pause();
    await sleep(ms);
    server.resume();
  }

  /** Waits until all slots are served, and each master has a replica that follows. */
  async recovers(): Promise<void> {
    await until('the cluster is whole', async () => {
      const replicas = await this.#withRole('slave');
      if (replicas.length !== 3) return false;
      for (const replica of replicas) {
        if ((await replica.info('replication', 'master_link_status')) !== 'up') return false;
      }
      const states = await Promise.all(this.#cluster.servers.map((server) => server.send('cluster', 'info')));
      return states.every((state) => /cluster_state:ok.*cluster_slots_ok:16384/s.test(String(state)));
    });
  }

  /** Events after which nothing that was confirmed may be lost. */
  readonly harmless: Readonly<Record<string, () => Promise<unknown>>> = {
    'a master dies, and its replica takes over': () => this.#restart(4000),
    'a master is killed and restarted': () => this.#restart(0),
    'a master hangs': async () => this.#hang(await this.#any(), 4500),
    'a replica hangs': async () => this.#hang(await this.#any('slave'), 3000),
    'a master pauses its clients': async () => {
      await (await this.#any()).send('client', 'pause', 2000, this.#random(2) === 0 ? 'all' : 'write');
      await sleep(2200);
    },
    'a master cuts its connections': async () => {
      const master = await this.#any();
      for (let i = 0; i < 5; i++) {
        await master.send('client', 'kill', 'type', 'normal', 'skipme', 'yes');
        await sleep(200);
      }
    },
    'scripts are forgotten': async () => {
      for (let i = 0; i < 10; i++) {
        await this.#onMasters('script', 'flush');
        await sleep(100);
      }
    },
    'scripts are forbidden': async () => {
      const master = await this.#any();
      await master.send('acl', 'setuser', 'default', '-evalsha');
      await sleep(1000);
      await master.send('acl', 'setuser', 'default', '+@all');
    },
    'a script keeps a master busy': async () => {
      const master = await this.#any();
      const busy = "local n=0 local s=redis.call('time')[1] while redis.call('time')[1]-s<3 do n=n+1 end return n";
      await master.send('config', 'set', 'busy-reply-threshold', 100);
      await master.send('eval', busy, 0);
    },
    'memory is full': async () => {
      const master = await this.#any();
      const used = Number(await master.info('memory', 'used_memory'));
      await master.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', Math.floor(0.8 * used));
      await sleep(2000);
      await master.send('config', 'set', 'maxmemory', 0);
    },
    'a replica takes over by order': async () => {
      await (await this.#any('slave')).send('cluster', 'failover');
      await sleep(1000);
    },
    'slots move': async () => {
      // Away from the largest: a master without a slot becomes a replica.
      const masters = await this.#withRole('master');
      const sizes = await Promise.all(masters.map(slotsOf));
      const from = masters[sizes.indexOf(Math.max(...sizes))] as Server;
      const others = masters.filter((master) => master !== from);
      const to = others[this.#random(others.length)] as Server;
      const ids = await Promise.all([from, to].map((each) => each.send('cluster', 'myid')));
      const how = ['--cluster-slots', String(300 + this.#random(500)), '--cluster-yes'];
      const which = ['--cluster-from', String(ids[0]), '--cluster-to', String(ids[1])];
      await run('redis-cli', ['--cluster', 'reshard', `127.0.0.1:${from.port}`, ...which, ...how], { timeout: 20_000 });
    },
  };

  /** Events that lose keys, which must be noticed. */
  readonly harmful: Readonly<Record<string, () => Promise<unknown>>> = {
    'FLUSHALL on one master': async () => (await this.#any()).send('flushall'),
    'FLUSHALL on all masters': () => this.#onMasters('flushall'),
    'a master restarts without data': () => this.#restart(0, { isEmpty: true }),
    'memory is full, and masters evict': async () => {
      for (const master of await this.#withRole('master')) {
        const used = Number(await master.info('memory', 'used_memory'));
        await master.send('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', used + 300_000);
      }
      for (const end = Date.now() + 4000; Date.now() < end; ) {
        const keys = Array.from({ length: 200 }, () => `cache ${this.#random(1e9)}`);
        await Promise.allSettled(keys.map((key) => this.#set(key, 'x'.repeat(1000))));
      }
      await this.#onMasters('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0);
    },
  };

  /** Repairs the slots that an interrupted move has left between two masters, or with none. */
  async fix(): Promise<void> {
    const node = `127.0.0.1:${this.#cluster.ports[0]}`;
    const fixing = run('redis-cli', ['--cluster', 'fix', node], { timeout: 30_000 });
    // It asks about each kind of slots without a master, even with --cluster-yes.
    fixing.child.stdin?.end('yes\n'.repeat(3));
    await fixing;
  }
}
