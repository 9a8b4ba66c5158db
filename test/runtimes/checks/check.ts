// How the conformance program runs its checks, and what it reports.

/** Where a check runs, if not in every place in which the program runs. */
export interface Place {
  /** Whether it needs streams, blobs, signals to abort, and loops that await. */
  readonly web?: true;
  /** Whether one realm of a runtime is enough, because the others have the same engines. */
  readonly once?: true;
}

/** What a check gave: passed unless it has an error. */
export interface Outcome extends Place {
  readonly name: string;
  readonly error?: string;
  readonly detail?: string;
}

/** Which checks run: all of them, or those for places without WebAssembly. */
export type Part = 'all' | 'JavaScript' | 'JavaScript without web APIs';

/**
 * Whether a check belongs to a part, in the first realm of a runtime or in another one. Where there is no WebAssembly, all
 * entries are in plain JavaScript.
 */
export function isIn(part: Part, isFirst: boolean, { name, web, once }: Place & { readonly name: string }): boolean {
  if (once && !isFirst) return false;
  if (part === 'all') return true;
  return !/^wasm\b/.test(name) && (!web || part === 'JavaScript');
}

/** A check throws, or rejects, if it fails. A string that it returns is reported as the outcome's detail. */
export type Check = readonly [name: string, run: () => unknown, place?: Place];

export function only(place: Place, checks: readonly Check[]): Check[] {
  return checks.map(([name, run, before]) => [name, run, { ...before, ...place }]);
}

/** Marks details that must be the same in every runtime. */
export const COMPARED = '= ';

/** A detail that every runtime must report in exactly the same way. */
export const compared = (value: string): string => COMPARED + value;

const TIMEOUT_MS = 60_000;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const { name, message, cause } = error;
  return `${name}: ${message}${cause === undefined ? '' : ` (cause: ${describe(cause)})`}`;
}

async function outcomeOf([name, run, place]: Check): Promise<Outcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    const detail = await Promise.race([(async () => run())(), expired]);
    return { name, ...place, ...(typeof detail === 'string' && { detail }) };
  } catch (error) {
    return { name, ...place, error: describe(error) };
  } finally {
    clearTimeout(timer);
  }
}

export async function runChecks(checks: readonly Check[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    outcomes.push(await outcomeOf(check));
    // Browsers end a service worker that does not return to its event loop for half a minute.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return outcomes;
}
