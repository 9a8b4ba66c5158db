// Where the conformance program must run. Whatever is missing here is not tested; whatever is listed here and does not
// run is a failure.

import type { Outcome, Part } from './checks/check.ts';

/** One place in which the conformance program ran: where in the runtime, such as `page` or `Worker`. */
export interface Realm {
  readonly realm: string;
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

export type Target = () => Promise<Realm[]>;

export interface Expected {
  readonly target: string;
  readonly runtime: string;
  /** What the version that really ran must begin with. */
  readonly version: string;
  /** The first one runs all checks. The others, on the same engines, run those that depend on the realm. */
  readonly realms: readonly string[];
  /** Which checks must pass there. Default: all. */
  readonly part?: Part;
}

/** What users have and no target stands for. */
export const untested: readonly string[] = [
  'Safari on macOS and iOS (WebKitGTK has the same engine)',
  'Chrome on Android',
  'Edge',
  'any browser on Windows or macOS',
  'React Native on a device',
  'the machines of Vercel, Fastly, Netlify and Cloudflare',
];

const everywhere = ['page', 'Worker', 'classic Worker', 'ServiceWorker'];
const bundlers = ['edge route, webpack', 'middleware, webpack', 'edge route, turbopack', 'middleware, turbopack'];
const hermes = { target: 'hermes', runtime: 'Hermes', version: '0.12.', realms: ['Metro'] };

/** The runtime whose outcomes all others must equal: the oldest supported Node. */
export const REFERENCE = 'node20';

export const expected: readonly Expected[] = [
  { target: REFERENCE, runtime: 'Node 20', version: '20.', realms: ['process'] },
  { target: 'node22', runtime: 'Node 22', version: '22.', realms: ['process'] },
  { target: 'node24', runtime: 'Node 24', version: '24.', realms: ['process'] },
  { target: 'node26', runtime: 'Node 26', version: '26.', realms: ['process'] },
  { target: 'bun', runtime: 'Bun', version: '1.', realms: ['process'] },
  { target: 'deno', runtime: 'Deno', version: '2.', realms: ['process'] },
  { target: 'workerd', runtime: 'workerd', version: '20', realms: ['2025-05-31', '2025-06-01'] },
  { target: 'edge-runtime', runtime: 'edge-runtime', version: '4.', realms: ['fetch'], part: 'JavaScript' },
  { target: 'next', runtime: 'Next.js', version: '16.', realms: bundlers, part: 'JavaScript' },
  { ...hermes, part: 'JavaScript without web APIs' },
  { target: 'chromium', runtime: 'Chromium', version: '', realms: everywhere },
  { target: 'chromium114', runtime: 'Chromium 114', version: '114.', realms: everywhere },
  { target: 'firefox', runtime: 'Firefox ESR', version: '', realms: everywhere },
  { target: 'webkit', runtime: 'WebKitGTK', version: '', realms: everywhere },
];
