// The page of examples/large-list, used as a user would: files are chosen, buttons are pressed.

import { holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

const ERROR_RATE = 1e-4;
const LINES = 100_000;

const names = (first: number): string[] => Array.from({ length: LINES }, (_, i) => `name-${first + i}@example.org`);

/** Waits for something on the page. The check that waits has a limit of time. */
async function until<T>(find: () => T | null | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const frame = document.createElement('iframe');

const element = <E extends HTMLElement>(id: string): E => frame.contentDocument?.getElementById(id) as E;

function choose(id: string, lines: readonly string[]): void {
  const files = new DataTransfer();
  // With a byte order mark, as some editors write it.
  files.items.add(new File(['\ufeff', ...lines.map((line) => `${line}\n`)], `${id}.txt`));
  element<HTMLInputElement>(id).files = files.files;
}

function click(button: string, status: string): void {
  element(button).click();
  same(element<HTMLOutputElement>('status').value, status, 'status');
}

async function checkPage(): Promise<void> {
  frame.src = '/large-list/index.html';
  document.body.append(frame);
  await until(() => element('start')?.onclick);
  click('start', 'Choose both files');
  choose('blocklist', names(0));
  choose('list', names(LINES / 2));
  click('start', 'Starting');
  click('cancel', 'Canceled');
  element('start').click();
  const link = await until(() => element('result').querySelector('a'));
  const left = (await (await fetch(link.href)).text()).split('\n').slice(0, -1);
  const wanted = names(LINES / 2).slice(LINES / 2);
  const kept = new Set(left);
  same(left.join(), wanted.filter((line) => kept.has(line)).join(), 'lines left, in order');
  const dropped = wanted.length - left.length;
  // Six standard deviations above the mean of a binomial distribution.
  const mean = ERROR_RATE * wanted.length;
  holds(dropped <= mean + 6 * Math.sqrt(mean), `${dropped} lines dropped that should be left`);
  same(element<HTMLOutputElement>('status').value, `Done: ${left.length} of ${LINES} lines are left`, 'status');
  same(element<HTMLProgressElement>('progress').value, 1, 'progress');
}

await report('page', await runChecks([['large list: what is left is what the blocklist does not have', checkPage]]));
