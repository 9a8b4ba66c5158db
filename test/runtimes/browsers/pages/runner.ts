// What pages and workers need of the program that runs them, and of each other.

import type { Outcome } from '../../checks/check.ts';

/** Pages from a disk are told where the program is. */
const server = new URLSearchParams(location.search).get('server') ?? '';

/** Asks the program that runs this page: see `Answers` in server.ts. */
export async function ask<T>(name: string, value?: unknown): Promise<T> {
  const response = await fetch(`${server}/ask/${name}`, { method: 'POST', body: JSON.stringify(value) });
  if (!response.ok) throw new Error(await response.text());
  return response.json() as Promise<T>;
}

/** Reports what came of checks that ran in a realm. */
export async function report(realm: string, outcomes: readonly Outcome[]): Promise<void> {
  await ask('report', { realm, userAgent: navigator.userAgent, outcomes });
}

type Message<T> = { readonly value: T } | { readonly error: unknown } | { readonly note: unknown };

/** Starts the Worker of `helper.ts`, and returns what its task of this name answers. Its notes go to `onNote`. */
export async function askWorker<T>(
  task: string,
  message: unknown,
  { transfer = [], onNote }: { transfer?: Transferable[]; onNote?: (note: never) => void } = {},
): Promise<T> {
  const worker = new Worker(`/helper.js${location.search}`, { type: 'module' });
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Message<T>>) => {
        if ('error' in data) reject(data.error);
        else if ('note' in data) onNote?.(data.note as never);
        else resolve(data.value);
      };
      worker.onerror = (event) => reject(new Error(`the Worker failed: ${event.message}`));
      worker.postMessage({ task, message }, transfer);
    });
  } finally {
    worker.terminate();
  }
}

/** Makes a Worker answer `askWorker` with what its tasks return. */
export function answer(
  tasks: Readonly<Record<string, (message: never, note: (note: unknown) => void) => unknown>>,
): void {
  self.onmessage = async ({ data: { task, message } }: MessageEvent<{ task: string; message: never }>) => {
    try {
      self.postMessage({ value: await tasks[task]?.(message, (note) => self.postMessage({ note })) });
    } catch (error) {
      self.postMessage({ error });
    }
  };
}
