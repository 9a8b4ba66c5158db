// The page that tells whether a package name is taken.

import './page.css';
import { byteSize, integer, percent, short } from '../format.ts';
import { element, factsOf, write } from '../shell/dom.ts';
import { answerBefore, answerTo } from './answer.ts';
import { facts, loadNames, measure, type Names } from './load.ts';

const errorRate = facts.wrong / facts.asked;
const input = element('name', HTMLInputElement);
const loadButton = element('load', HTMLButtonElement);
const measureButton = element('measure', HTMLButtonElement);

let names: Names | undefined;
let loading: Promise<void> | undefined;

const NOTHING = {
  verdict: 'Which name?',
  explanation: `“Certainly not taken” is always right; “probably taken” is wrong for 1 free name in ${integer(1 / errorRate)}.`,
  isTaken: false,
};

function answerNow(name: string): typeof NOTHING {
  if (name === '') return NOTHING;
  const known = names;
  return known === undefined ? answerBefore(name) : answerTo(name, (each) => known.has(each), errorRate);
}

function showAnswer(): void {
  const { verdict, explanation, isTaken } = answerNow(input.value.trim());
  write('answer', verdict);
  write('explanation', explanation);
  element('answer', HTMLElement).classList.toggle('likely', isTaken);
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
  element('facts', HTMLElement).replaceChildren(...factsOf(rows));
  const asked = `${integer(facts.wrong)} of ${integer(facts.asked)} free names`;
  write('measured', `When this page was built, ${asked} looked taken: ${percent(errorRate)}.`);
  write('size', byteSize(bytes).replace(' ', '\u00a0'));
}

async function load(): Promise<void> {
  const bar = element('progress', HTMLProgressElement);
  loadButton.disabled = true;
  element('loading-part', HTMLElement).hidden = false;
  try {
    names = await loadNames((bytes) => {
      bar.value = bytes / facts.bytes;
      write('loading', `${byteSize(bytes)} of ${byteSize(facts.bytes)}`);
    });
  } catch {
    loading = undefined;
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
  showAnswer();
}

/** Loads the names when they are first needed. */
function loaded(): Promise<void> {
  loading ??= load();
  return loading;
}

async function showMeasured(): Promise<void> {
  await loaded();
  if (names === undefined) return;
  const { asked, wrong, nanoseconds } = measure(names);
  write(
    'measured-here',
    `${integer(wrong)} of ${integer(asked)} random names looked taken: ${percent(wrong / asked)}. ` +
      `An answer took ${integer(nanoseconds)} ns on average.`,
  );
}

function ask(): void {
  showAnswer();
  if (input.value.trim() !== '') void loaded();
}

showFacts();
showAnswer();
loadButton.addEventListener('click', async () => {
  await loaded();
  input.focus();
});
measureButton.addEventListener('click', () => void showMeasured());
input.addEventListener('input', ask);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-name]')) {
  button.addEventListener('click', () => {
    input.value = button.dataset['name'] ?? '';
    ask();
  });
}
