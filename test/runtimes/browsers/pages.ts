// The pages that browsers open.

/** A page, and the realms that report when it is open. */
export interface Page {
  /** The path and the query of its URL. */
  readonly path: string;
  readonly realms: readonly string[];
  /** How many checks each of them must report; undefined if those of Node 20 tell. */
  readonly checks?: number;
  /** Whether a browser that starts with this page gets the option of this name. */
  readonly smallHeap?: boolean;
  /** Whether it is opened from a disk, without a server. */
  readonly fromDisk?: boolean;
}

const conformance: Page = {
  path: 'conformance.html',
  realms: ['page', 'Worker', 'classic Worker', 'ServiceWorker'],
  smallHeap: true,
};

/** Each list is opened page by page in a browser of its own: what uses much memory begins with a fresh one. */
export const everyPage: readonly (readonly Page[])[] = [
  [
    conformance,
    { path: 'csp.html?csp=strict', realms: ['page', 'Worker'], checks: 4 },
    { path: 'csp.html?csp=wasm', realms: ['page', 'Worker'], checks: 3 },
    { path: 'threads.html?isolated', realms: ['page'], checks: 2 },
    { path: 'threads.html', realms: ['page'], checks: 1 },
    { path: 'storage.html', realms: ['page'], checks: 2 },
    { path: 'one-file.html', realms: ['page'], checks: 2 },
    { path: 'one-file.html', realms: ['page'], checks: 1, fromDisk: true },
  ],
  [
    { path: 'list.html', realms: ['page'], checks: 3 },
    { path: 'large-list.html', realms: ['page'], checks: 3 },
  ],
  [{ path: 'live.html', realms: ['page'], checks: 1 }],
  [{ path: 'dropped.html', realms: ['page'], checks: 5 }],
];

/** For browsers of which only the limits matter. */
export const conformanceOnly: readonly (readonly Page[])[] = [[conformance]];
