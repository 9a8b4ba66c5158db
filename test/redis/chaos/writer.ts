// A process that adds keys to a filter, and looks up whether those that were confirmed are there.

import { setTimeout as sleep } from 'node:timers/promises';
import { adapterOf, RedisBloomFilter, RedisFilterError } from '../../../src/entries/redis.ts';
import { randomFrom } from '../../shared/random.ts';
import { connect, type Library } from '../clients.ts';

/** What the main program gives to a writer. */
export interface Plan {
  readonly library: Library;
  readonly ports: readonly number[];
  readonly seed: number;
}

/** Keys that were confirmed, and that the same filter then called absent, without an error. */
interface Absence {
  readonly count: number;
  readonly first: string;
  /** Whether replicas had confirmed them. Without that, a failover may lose keys. */
  readonly isConfirmed: boolean;
  readonly time: number;
}

/** What a writer did and saw. */
export interface Report extends Readonly<Record<'added' | 'confirmed' | 'checked' | 'slowest', number>> {
  readonly library: Library;
  readonly absences: readonly Absence[];
  /** The shared keys that it was told to be new, and that were confirmed, by the filters that said so. */
  readonly news: readonly (readonly [origin: string, number: number])[];
  /** How often each code was thrown, and each type of event told. */
  readonly codes: Readonly<Record<string, number>>;
}

const NAME = 'seen';
const GLIDE = '@valkey/valkey-glide';
const TIMEOUT = 8000;
/** All writers add shared key N about this many milliseconds × N after the start. */
const SHARED_EVERY = 40;
/** The most shared keys that are added at once. */
const SHARED_AT_ONCE = 40;
/** The most keys that are kept to be looked up. */
const MOST = 50_000;

const { library, ports, seed } = JSON.parse(process.argv[2] ?? '') as Plan;
const random = randomFrom(seed);
const more = library === GLIDE ? { requestTimeout: TIMEOUT } : {};
const { client } = await connect(library, ports, { cluster: true, more });
const waits = library !== GLIDE;

const codes: Record<string, number> = {};
function count(what: string): void {
  codes[what] = (codes[what] ?? 0) + 1;
}
const codeOf = (error: unknown): string => (error instanceof RedisFilterError ? error.code : String(error));
process.on('unhandledRejection', (reason) => count(`UNHANDLED ${codeOf(reason)}`));

let filter: RedisBloomFilter;
/** Tells filters of the name apart. */
let origin = '';
/** The keys that this filter must have. */
let confirmed: string[] = [];

async function originOf(): Promise<string> {
  const text = await adapterOf(client).send(NAME, ['get', NAME], { readOnly: false, binary: false });
  return typeof text === 'string' ? JSON.parse(text).origin : '';
}

/** Opens the filter, and deletes it if it is lost. */
async function open(): Promise<void> {
  const wait = waits ? { wait: { replicas: 1, ms: 1000 } } : {};
  const onEvent = ({ type }: { type: string }): void => count(`event ${type}`);
  for (;;) {
    try {
      const before = await originOf();
      filter = await RedisBloomFilter.open(client, NAME, {
        ...{ capacity: 400_000, errorRate: 0.0001, timeout: TIMEOUT, onEvent },
        ...wait,
      });
      origin = await originOf();
      if (origin === before && origin !== '') return;
    } catch (error) {
      count(`open ${codeOf(error)}`);
      if (codeOf(error) === 'LOST')
        await RedisBloomFilter.delete(client, NAME).catch((reason) => count(codeOf(reason)));
    }
    await sleep(200);
  }
}

/** Begins again if an error says that the filter is lost. */
async function beginAgain(error: unknown): Promise<boolean> {
  const code = codeOf(error);
  count(code);
  if (code !== 'LOST' && code !== 'ABSENT') return false;
  confirmed = [];
  if (code === 'LOST') await RedisBloomFilter.delete(client, NAME).catch((reason) => count(codeOf(reason)));
  await open();
  return true;
}

const absences: Absence[] = [];
const news: [string, number][] = [];
let [added, kept, checked, slowest, last] = [0, 0, 0, 0, -1];

async function add(start: number): Promise<void> {
  const now = Math.floor((Date.now() - start) / SHARED_EVERY);
  const shared: number[] = [];
  for (let i = Math.max(last + 1, now - SHARED_AT_ONCE + 1); i <= now; i++) shared.push(i);
  last = now;
  const own = Array.from({ length: 1 + random(30) }, () => `${library} ${added++}`);
  const keys = [...own, ...shared.map((number) => `shared ${number}`)];
  const flags = new Uint8Array(keys.length);
  const ones = new Uint8Array(keys.length).fill(1);
  const from = origin;
  const begun = Date.now();
  const answers = await filter.addMany(keys, flags).then(
    () => ({ flags, confirmed: ones }),
    async (error: unknown) => {
      if ((await beginAgain(error)) || !(error instanceof RedisFilterError)) return undefined;
      return { flags: error.answers?.flags ?? [], confirmed: error.answers?.[waits ? 'confirmed' : 'done'] ?? [] };
    },
  );
  slowest = Math.max(slowest, Date.now() - begun);
  for (const [i, key] of keys.entries()) {
    if (answers?.confirmed[i] !== 1) continue;
    kept++;
    confirmed.push(key);
    const number = shared[i - own.length];
    if (waits && number !== undefined && answers.flags[i] === 1) news.push([from, number]);
  }
}

/** Looks keys up that must be there. */
async function lookUp(keys: readonly string[]): Promise<void> {
  const from = confirmed;
  try {
    const missing = await filter.omit(keys);
    // Otherwise it was lost meanwhile, and that was told.
    if (from !== confirmed) return;
    checked += keys.length;
    const [first] = missing;
    if (first === undefined) return;
    absences.push({ count: missing.length, first, isConfirmed: waits, time: Date.now() });
    const gone = new Set(missing);
    confirmed = confirmed.filter((key) => !gone.has(key));
  } catch (error) {
    await beginAgain(error);
  }
}

await open();
process.send?.('ready');
const { start, end } = await new Promise<{ start: number; end: number }>((resolve) => process.once('message', resolve));
while (Date.now() < end) {
  await add(start);
  if (confirmed.length > 0 && random(2) === 0) {
    const some = Array.from({ length: 300 }, () => confirmed[random(confirmed.length)] as string);
    await lookUp([...some, ...confirmed.slice(-100)]);
  }
  if (confirmed.length > MOST) confirmed = confirmed.filter(() => random(2) === 0);
  await sleep(random(30));
}
await sleep(4000);
await lookUp(confirmed);
const report: Report = { library, added, confirmed: kept, checked, absences, news, codes, slowest };
process.send?.(report, () => process.exit());
