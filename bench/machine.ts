import { readFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';

/** Where and when something was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** In GiB. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  readonly bloomery: string;
  /** YYYY-MM-DD */
  readonly date: string;
}

export function thisMachine(): Machine {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    memory: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${process.arch}`,
    node: process.version,
    bloomery: version,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function describeMachine({ cpu, cores, memory, system, node, bloomery, date }: Machine): string {
  return `${cpu}, ${cores} cores, ${memory} GiB, ${system}, Node ${node}, bloomery ${bloomery}, ${date}`;
}
