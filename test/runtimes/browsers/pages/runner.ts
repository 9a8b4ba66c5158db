// What pages and workers need of the program that runs them.

import type { Outcome } from '../../checks/check.ts';

/** Pages from a disk are told where the program is. */
const server = new URLSearchParams(location.search).get('server') ?? '';

/** Asks the program that runs this page: see `Answers` in server.ts. */
export async function ask<T>(name: string, value?: unknown): Promise<T> {
  const response = await fetch(`${server}/ask/${name}`, { method: 'POST', body: JSON.stringify(value) });
  if (!response.ok) throw new Error(await response.text());
  return response.json() as Promise<T>;
}

export async function report(realm: string, outcomes: readonly Outcome[]): Promise<void> {
  await ask('report', { realm, userAgent: navigator.userAgent, outcomes });
}
