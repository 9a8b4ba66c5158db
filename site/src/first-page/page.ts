// The first page: copies commands, runs four lines of code, and races a filter against a Set.

import './page.css';
import { byteSize, duration, integer, percent } from '../format.ts';
import { copyOnClick } from '../shell/copy.ts';
import { element, onDemand, write } from '../shell/dom.ts';
import { codeOf, type Fields, runLines } from './four-lines.ts';
import type { Counts, Row } from './race.ts';

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  copyOnClick(button, () => button.dataset['copy'] ?? '');
}

// Four lines

/** The library, loaded when a line is first changed. */
const library = onDemand(async () => (await import('../engine.ts')).chooseEngine());

const field = (id: string): string => element(id, HTMLInputElement).value;

const fields = (): Fields => ({
  capacity: field('capacity'),
  errorRate: field('error-rate'),
  keys: field('keys'),
  asked: field('asked'),
});

async function showLines(): Promise<void> {
  try {
    const engine = await library();
    // Read after loading, because the reader may have typed on.
    for (const [id, text] of Object.entries(runLines(engine, fields()))) write(id, text);
  } catch (error) {
    write('made', `The library cannot be loaded: ${(error as Error).message}`);
  }
}

element('lines', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
element('lines', HTMLFormElement).addEventListener('input', () => void showLines());
copyOnClick(element('copy-lines', HTMLButtonElement), () => codeOf(fields()));
element('crowd', HTMLButtonElement).addEventListener('click', () => {
  element('capacity', HTMLInputElement).value = '3';
  element('error-rate', HTMLInputElement).value = '0.5';
  void showLines();
});

// The race

const raceButton = element('race', HTMLButtonElement);
/** Names that were never added, to be looked up as well. */
const ABSENT = 500_000;

function showRow({ subject, bytes, names: count, buildSeconds, lookUpSeconds, missed, absent, wrong }: Row): void {
  write(`${subject}-bytes`, byteSize(bytes));
  const each = (seconds: number): string => `${duration(seconds)}, ${integer((seconds / count) * 1e9)} ns each`;
  write(`${subject}-build`, each(buildSeconds));
  write(`${subject}-look-up`, each(lookUpSeconds));
  write(`${subject}-missed`, integer(missed));
  write(`${subject}-wrong`, wrong === 0 ? '0' : percent(wrong / absent));
}

const LOOK_UP = raceButton.textContent ?? '';
/** Ends the race that is running; undefined if none is. */
let endRace: ((said: string) => void) | undefined;

function race(): void {
  const worker = new Worker(new URL('./race.worker.ts', import.meta.url), { type: 'module' });
  endRace = (said) => {
    worker.terminate();
    endRace = undefined;
    raceButton.textContent = LOOK_UP;
    write('race-said', said);
  };
  const rows: Row[] = [];
  worker.onmessage = ({ data }: MessageEvent<Row>) => {
    showRow(data);
    rows.push(data);
    const [filter, set] = rows;
    if (set === undefined || filter === undefined) return write('race-said', 'Now the Set …');
    endRace?.(
      `Done: ${integer(filter.names)} names looked up in ${duration(filter.lookUpSeconds)}; ` +
        `the Set took ${duration(set.lookUpSeconds)}.`,
    );
  };
  worker.onerror = () => endRace?.('It did not run here. There may be too little memory.');
  for (const cell of document.querySelectorAll('.race tr:not(:first-child) td')) cell.textContent = '–';
  raceButton.textContent = 'Stop';
  write('race-said', 'First the filter …');
  const counts: Counts = { names: Number(raceButton.dataset['names']), absent: ABSENT };
  worker.postMessage(counts);
}

raceButton.addEventListener('click', () => {
  if (endRace === undefined) race();
  else endRace('Stopped.');
});
