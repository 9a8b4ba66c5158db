// The page of examples/large-list, used as a user would: files are chosen, buttons are pressed.

import { holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

/** The error rate of the example. */
const ERROR_RATE = 1e-4;
const LINES = 100_000;
const WAIT_MS = 30_000;

const names = (first: number): string[] => Array.from({ length: LINES }, (_, i) => `name-${first + i}@example.org`);

async function until<T>(what: string, find: () => T | null | undefined | false): Promise<T> {
  for (const begun = performance.now(); performance.now() < begun + WAIT_MS; ) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what}: not within ${WAIT_MS / 1000} s`);
}

const frame = document.createElement('iframe');

function element<E extends HTMLElement>(id: string): E | null | undefined {
  return frame.contentDocument?.getElementById(id) as E | null | undefined;
}

const status = (): string | undefined => element<HTMLOutputElement>('status')?.value;

function choose(id: string, lines: readonly string[]): void {
  const files = new DataTransfer();
  // With a byte order mark, as some editors write it.
  files.items.add(new File(['\ufeff', ...lines.map((line) => `${line}\n`)], `${id}.txt`));
  (element(id) as HTMLInputElement).files = files.files;
}

async function result(): Promise<string[]> {
  const link = await until('a result', () => element('result')?.querySelector('a'));
  const text = await (await fetch(link.href)).text();
  return text.split('\n').slice(0, -1);
}

const outcomes = await runChecks([
  [
    'large list: says what is missing',
    async () => {
      frame.src = '/large-list/index.html';
      document.body.append(frame);
      await until('the page of the example', () => element('start')?.onclick);
      element('start')?.click();
      same(status(), 'Choose both files', 'status');
    },
  ],
  [
    'large list: is canceled at once',
    async () => {
      choose('blocklist', names(0));
      choose('list', names(LINES / 2));
      element('start')?.click();
      same(status(), 'Starting', 'status');
      element('cancel')?.click();
      same(status(), 'Canceled', 'status');
    },
  ],
  [
    'large list: what is left is what the blocklist does not have',
    async () => {
      element('start')?.click();
      const left = await result();
      const expected = names(LINES / 2).slice(LINES / 2);
      const allowed = new Set(expected);
      same(left.filter((line) => !allowed.has(line)).length, 0, 'lines left that should be dropped');
      const kept = new Set(left);
      same(left.join(), expected.filter((line) => kept.has(line)).join(), 'lines left, in order');
      const dropped = expected.length - left.length;
      // Six standard deviations above the mean of a binomial distribution.
      const mean = ERROR_RATE * expected.length;
      holds(dropped <= mean + 6 * Math.sqrt(mean), `${dropped} lines dropped that should be left`);
      same(status(), `Done: ${left.length} of ${LINES} lines are left`, 'status');
      same((element('progress') as HTMLProgressElement).value, 1, 'progress');
    },
  ],
]);
await report('page', outcomes);
