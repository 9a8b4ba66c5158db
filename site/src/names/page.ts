// The page that tells whether a package name is taken.

import './page.css';
import url from '../../build/data/names.bloom?url';
import text from '../../build/data/names.json?raw';
import type { NamesFacts } from '../../tools/data.ts';
import { chooseEngine, engineName, loadFilter } from '../engine.ts';
import { byteSize, integer, percent, short } from '../format.ts';
import { element, factsOf, onDemand, write } from '../shell/dom.ts';
import { answerBefore, answerTo } from './answer.ts';

const facts: NamesFacts = JSON.parse(text);
const errorRate = facts.wrong / facts.asked;
const input = element('name', HTMLInputElement);
const loadButton = element('load', HTMLButtonElement);
const measureButton = element('measure', HTMLButtonElement);

/** The answer of the filter, once it is there. */
let has: ((name: string) => boolean) | undefined;

const NOTHING = {
  verdict: 'Which name?',
  explanation: `“Certainly not taken” holds for the list of ${facts.date}; “probably taken” is wrong for 1 free name in ${integer(1 / errorRate)}.`,
  isTaken: false,
};

function answerNow(name: string): typeof NOTHING {
  if (name === '') return NOTHING;
  return has === undefined ? answerBefore(name) : answerTo(name, has, errorRate, facts.date);
}

function showAnswer(): void {
  const { verdict, explanation, isTaken } = answerNow(input.value.trim());
  write('answer', verdict);
  write('explanation', explanation);
  element('answer', HTMLElement).classList.toggle('likely', isTaken);
}

function showFacts(): void {
  const { source, date, names: count, bytes, textBytes } = facts;
  const rows = [
    ['names', integer(count)],
    ['as a text', byteSize(textBytes)],
    ['as this filter', byteSize(bytes)],
    ['bits per name', short((8 * bytes) / count)],
    ['kind', 'fuse'],
    ['list', source],
    ['published', date],
  ] as const;
  element('facts', HTMLElement).replaceChildren(...factsOf(rows));
  const asked = `${integer(facts.wrong)} of ${integer(facts.asked)} free names`;
  write('measured', `When this page was built, ${asked} looked taken: ${percent(errorRate)}.`);
  write('list-date', date);
  write('size', byteSize(bytes).replace(' ', '\u00a0'));
}

/** Shows how much of the filter has arrived, and passes it on. */
function progress(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      element('progress', HTMLProgressElement).value = bytes / facts.bytes;
      write('loading', `${byteSize(bytes)} of ${byteSize(facts.bytes)}`);
      controller.enqueue(chunk);
    },
  });
}

/** Loads the names when they are first needed, and says how that goes. */
const load = onDemand(async () => {
  loadButton.disabled = true;
  element('loading-part', HTMLElement).hidden = false;
  try {
    const [engine, response] = await Promise.all([chooseEngine(), fetch(url)]);
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const filter = await loadFilter(engine, response.body.pipeThrough(progress()));
    has = (name) => filter.has(name);
    const isWasm = engineName(engine) === 'wasm';
    write('loading', `Loaded: ${integer(facts.names)} names.`);
    write(
      'engine',
      isWasm ? 'It runs on WebAssembly.' : 'WebAssembly is refused here, so it runs in plain JavaScript.',
    );
    showAnswer();
  } catch (error) {
    loadButton.disabled = false;
    write('loading', 'The names could not be loaded. Try again.');
    throw error;
  }
});
/** What fails has been said. */
const loaded = (): Promise<void> => load().catch(() => {});

const ASKED = 100_000;
const LENGTH = 20;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Random names, so long that none of them exists. */
function randomNames(): string[] {
  const random = new Uint8Array(LENGTH);
  return Array.from({ length: ASKED }, () => {
    crypto.getRandomValues(random);
    return Array.from(random, (value) => LETTERS[value % LETTERS.length]).join('');
  });
}

/** Measures the filter in this browser. */
async function measure(): Promise<void> {
  await loaded();
  if (has === undefined) return;
  const asked = randomNames();
  const begun = performance.now();
  let wrong = 0;
  for (const name of asked) if (has(name)) wrong++;
  const nanoseconds = ((performance.now() - begun) / ASKED) * 1e6;
  write(
    'measured-here',
    `${integer(wrong)} of ${integer(ASKED)} random names looked taken: ${percent(wrong / ASKED)}. ` +
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
measureButton.addEventListener('click', () => void measure());
input.addEventListener('input', ask);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-name]')) {
  button.addEventListener('click', () => {
    input.value = button.dataset['name'] ?? '';
    ask();
  });
}
