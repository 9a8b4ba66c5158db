// A server that answers each script of the package as Redis could, and some of them otherwise. It stores nothing.

import { createHash } from 'node:crypto';
import { BLOCK_BITS } from '../../../src/kinds/blocked/sizing.ts';
import type { Argument } from '../../../src/redis/clients/adapter.ts';
import { slotOf } from '../../../src/redis/cluster-slots.ts';
import type { StoredParameters } from '../../../src/redis/parameters.ts';
import * as scripts from '../../../src/redis/scripts.ts';
import { pick, type Random } from '../subject.ts';

/** The bytes of one key in the records of a call. */
const RECORD_BYTES = 12;

/** The names of scripts, by their texts and the hashes of these. */
const names = new Map<string, string>();
for (const [name, script] of Object.entries(scripts)) {
  if (!(script instanceof scripts.Script)) continue;
  for (const key of [script.source, createHash('sha1').update(script.source).digest('hex')]) names.set(key, name);
}

const ERRORS = [
  ...['ERR no', 'NOSCRIPT No matching script', 'WRONGTYPE Operation', 'OOM command not allowed', 'NOPERM no rights'],
  ...['READONLY replica', 'TRYAGAIN Multiple keys', 'LOADING data', 'CLUSTERDOWN no', 'MASTERDOWN no'],
  ...['MOVED 7 host2:7000', 'ASK 7 host1:7000', 'MOVED 99999 nowhere', 'ASK x', 'ERR unknown command EVALSHA_RO'],
  ...['the connection was closed', '', '-ERR', 'UNKNOWN'],
];

/** How a server of a case answers. */
interface Answers {
  readonly random: Random;
  readonly stored: StoredParameters;
  /** One in this number of answers is wrong. */
  readonly every: number;
  /** The most commands that it answers: a call that never ends would keep the run from ending. */
  readonly most: number;
  readonly damaged: (random: Random) => string;
}

export class FakeServer {
  commands = 0;
  isClosed = false;
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** Answers `EVALSHA sha 1 key argument` and the like. */
  async answer(command: readonly Argument[], binary = false): Promise<unknown> {
    this.commands++;
    const { random, every, most } = this.#answers;
    if (this.isClosed || this.commands > most) {
      this.isClosed = true;
      throw new Error('ERR the client is closed');
    }
    if (random(every) === 0) return this.#wrong();
    const [verb, script = '', count = 0, ...rest] = command;
    if (verb === 'wait') return random(3);
    const name = names.get(String(script)) ?? '';
    const keys = rest.slice(0, Number(count)).map(String);
    const reply = this.#right(name, keys, rest.slice(Number(count)));
    return binary && typeof reply === 'string' ? Buffer.from(reply) : reply;
  }

  #flags(args: readonly Argument[]): string {
    const { random } = this.#answers;
    const count = (args[0]?.length ?? 0) / RECORD_BYTES;
    const flags = Array.from({ length: count }, () => random(2)).join('');
    return random(20) === 0 ? flags.slice(1) : flags;
  }

  #pieceBytes(key: string): number {
    const { bits, pieceBlocks } = this.#answers.stored;
    const first = Number(key.slice(key.lastIndexOf(':') + 1)) * pieceBlocks;
    return (Math.min(pieceBlocks, bits / BLOCK_BITS - first) * BLOCK_BITS) / 8;
  }

  #right(name: string, keys: readonly string[], args: readonly Argument[]): unknown {
    const { random, stored } = this.#answers;
    const [key = ''] = keys;
    const text = JSON.stringify(stored);
    switch (name) {
      case 'READ':
        return key.includes(':') ? pick(random, ['1', null]) : pick(random, [text, text, text, null]);
      case 'CREATE':
      case 'SWAP':
      case 'PUBLISH':
        return random(8) === 0 ? pick(random, [text, null]) : (args[name === 'SWAP' ? 1 : 0] ?? null);
      case 'HAS':
      case 'ADD':
      case 'ADD_ONCE':
        return this.#flags(args);
      case 'ROTATING_HAS':
      case 'ROTATING_ADD':
      case 'ROTATING_ADD_ONCE':
        return args[2] === '5' ? this.#flags(args) : '!5';
      case 'EXPORT':
        return new Uint8Array(Math.min(this.#pieceBytes(key), Number(args[1]) + 1) - Number(args[0])).fill(random(256));
      case 'COUNT':
        return random(8 * Number(args[0]) + 1);
      case 'EXISTS':
        return random(4) === 0 ? random(keys.length + 1) : keys.length;
      case 'FIELDS':
        return random(3) > 0 ? [] : [stored.id, text, `${stored.id}.whole`, '1'].slice(0, 2 + 2 * random(2));
      case 'GENERATION':
        return '5';
      // The script that asks for the policy is not among those of the module.
      case '':
        return pick(random, ['', '', '', 'noeviction', 'allkeys-lru', 'volatile-lru']);
      default:
        return 1;
    }
  }

  #wrong(): unknown {
    const { random, damaged } = this.#answers;
    if (random(2) === 0)
      throw random(8) === 0 ? pick<unknown>(random, ['text', undefined]) : new Error(pick(random, ERRORS));
    if (random(2) === 0) return damaged(random);
    return pick<unknown>(random, [
      ...[null, '', '1', '01', '!', '!6', '!x', '!-1', '0'.repeat(200), 'text', 5, -1, 2 ** 53, Number.NaN, true],
      ...[[], ['a'], [null], ['a', 'b'], {}, new Uint8Array(3), undefined, 7n],
    ]);
  }

  /** A client of the package `ioredis`, single or cluster. */
  ioRedis(isCluster: boolean): object {
    const call = (name: Argument, args: readonly Argument[]) => this.answer([name, ...args]);
    const callBuffer = (name: Argument, args: readonly Argument[]) => this.answer([name, ...args], true);
    const common = { call, callBuffer, status: 'ready', sendCommand: call };
    const node = (host: string) => ({ options: { host, port: 7000 }, ...common });
    if (!isCluster) return node('host1');
    const { random } = this.#answers;
    const known = random(4) === 0 ? [] : [['host1:7000', 'host3:7000'], ['host2:7000'], ['nowhere:1'], [], undefined];
    const slots = Array.from({ length: 16384 / 8 }, (_, i) => known[i % 5]);
    return { ...node('host1'), slots, nodes: () => ['host1', 'host2'].slice(random(2)).map(node) };
  }

  /** A client of the package `redis`, single or cluster. */
  nodeRedis(isCluster: boolean): object {
    const common = { withTypeMapping() {}, isOpen: true, isReady: true };
    const isBinary = (options: object): boolean =>
      Object.keys((options as { typeMapping: object }).typeMapping).length > 0;
    const single = {
      ...common,
      sendCommand: (command: readonly Argument[], options: object = { typeMapping: {} }) =>
        this.answer(command, isBinary(options)),
    };
    if (!isCluster) return single;
    return {
      ...common,
      slots: this.#answers.random(4) === 0 ? [] : [{ master: { address: 'host1:7000' } }],
      sendCommand: (_: string, __: boolean, command: readonly Argument[], options: object) =>
        this.answer(command, isBinary(options)),
      nodeClient: () => single,
    };
  }

  /** An adapter for another client. */
  adapter(isCluster: boolean): object {
    return {
      cluster: isCluster,
      isClosed: () => this.isClosed,
      master: (key: string) => (isCluster ? slotOf(key) % 3 : 0),
      send: (_: string, command: readonly Argument[], { binary }: { binary: boolean }) => this.answer(command, binary),
    };
  }
}
