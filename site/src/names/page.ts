// The page that tells whether a package name is taken.

import './page.css';
import { byteSize, integer, percent, short } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { answerTo } from './answer.ts';
import { facts, loadNames, type Names } from './load.ts';
import { measure } from './measure.ts';

const errorRate = facts.wrong / facts.asked;
const input = element('name', HTMLInputElement);
const loadButton = element('load', HTMLButtonElement);
const measureButton = element('measure', HTMLButtonElement);

let names: Names | undefined;

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

function showAnswer(): void {
  const name = input.value.trim();
  const isEmpty = names === undefined || name === '';
  const { verdict, explanation, isTaken } = isEmpty
    ? { verdict: '\u00a0', explanation: '\u00a0', isTaken: false }
    : answerTo(name, names?.has(name) === true, errorRate);
  write('answer', verdict);
  write('explanation', explanation);
  element('answer', HTMLElement).classList.toggle('taken', isTaken);
}

function showFacts(): void {
  const { source, names: count, bytes, textBytes } = facts;
  const rows = [
    ['names', integer(count)],
    ['as a text', byteSize(textBytes)],
    ['as this filter', byteSize(bytes)],
    ['bits per name', short((8 * bytes) / count)],
    ['kind', 'fuse'],
    ['list', source],
  ] as const;
  const cells = rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]);
  element('facts', HTMLElement).replaceChildren(...cells);
  const asked = `${integer(facts.wrong)} of ${integer(facts.asked)} free names`;
  write('measured', `When this page was built, ${asked} looked taken: ${percent(errorRate)}.`);
  loadButton.textContent = `Load the names (${byteSize(bytes)})`;
}

async function load(): Promise<void> {
  const bar = element('progress', HTMLProgressElement);
  loadButton.disabled = true;
  try {
    names = await loadNames((bytes) => {
      bar.value = bytes / facts.bytes;
      write('loading', `${byteSize(bytes)} of ${byteSize(facts.bytes)}`);
    });
  } catch {
    loadButton.disabled = false;
    write('loading', 'The names could not be loaded. Try again.');
    return;
  }
  bar.value = 1;
  write('loading', `Loaded: ${integer(facts.names)} names.`);
  write(
    'engine',
    names.engine === 'wasm'
      ? 'It runs on WebAssembly.'
      : 'WebAssembly is refused here, so it runs in plain JavaScript.',
  );
  input.disabled = false;
  measureButton.disabled = false;
  input.focus();
  showAnswer();
}

function showMeasured(): void {
  if (names === undefined) return;
  const { asked, wrong, nanoseconds } = measure(names);
  write(
    'measured-here',
    `${integer(wrong)} of ${integer(asked)} random names looked taken: ${percent(wrong / asked)}. ` +
      `An answer took ${integer(nanoseconds)} ns on average.`,
  );
}

showFacts();
loadButton.addEventListener('click', () => void load());
measureButton.addEventListener('click', showMeasured);
input.addEventListener('input', showAnswer);
