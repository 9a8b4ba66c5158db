// Results of the page that were saved, by `npm run bench -- page`.

import { plural } from '../format.ts';
import { browserName, engineFamily, systemName } from './browser.ts';
import type { Machine, Result } from './run.ts';

/** A result, and what a browser does not tell of its machine. */
export interface StoredRun {
  readonly cpu: string;
  /** In GiB. */
  readonly memory: number;
  readonly system: string;
  readonly result: Result;
}

/** What tells runs apart: a later one of the same day replaces the earlier one. */
function nameOf({ cpu, memory, system, result: { machine, plan } }: StoredRun): string {
  const { userAgent, cores, bloomery, date } = machine;
  return [cpu, memory, system, userAgent, cores, bloomery, date, plan.keys].join();
}

/** The stored runs with another one, the newest first. */
export function withStored(stored: readonly StoredRun[], run: StoredRun): StoredRun[] {
  const others = stored.filter((each) => nameOf(each) !== nameOf(run));
  return [run, ...others].sort((one, other) => other.result.machine.date.localeCompare(one.result.machine.date));
}

/** `Firefox 153, Linux, 8 cores` */
function machineName({ userAgent, cores }: Machine): string {
  const told = cores === 0 ? [] : [plural(cores, 'core')];
  return [browserName(userAgent), systemName(userAgent), ...told].join(', ');
}

/** `Firefox 153, Linux, 8 cores, AMD EPYC – bloomery 0.1.0, 2026-11-24` */
export function storedName({ cpu, result: { machine } }: StoredRun): string {
  return `${machineName(machine)}, ${cpu} – bloomery ${machine.bloomery}, ${machine.date}`;
}

/** The stored run to show first: the newest in a browser of the same family, or the newest of all; -1 if there is none. */
export function nearestTo(userAgent: string, stored: readonly StoredRun[]): number {
  const same = stored.findIndex(({ result }) => engineFamily(result.machine.userAgent) === engineFamily(userAgent));
  return same >= 0 ? same : Math.min(0, stored.length - 1);
}
