// The page that leads to a kind of filter by a few questions.

import '../calculator/answer.css';
import './page.css';
import { typeScript } from '../calculator/code.ts';
import { type ExactSet, exactWords } from '../calculator/exact.ts';
import { showNote } from '../calculator/fields.ts';
import type { KindRow } from '../calculator/kind-row.ts';
import { rowNamed } from '../calculator/kinds.ts';
import { Refusal } from '../calculator/limits.ts';
import { readCount, whyNoCount } from '../calculator/numbers.ts';
import { answerOf, type Question } from '../calculator/solve.ts';
import { firstView, toQuery as toCalculator } from '../calculator/url.ts';
import { wordsOf } from '../calculator/words.ts';
import { integer } from '../format.ts';
import { copyOnClick, makeCopyButtons } from '../shell/copy.ts';
import { element, make, write } from '../shell/dom.ts';
import { choose, chooseSet, fromQuery, questions, rateFor, toQuery, type View } from './choices.ts';

let view: View = fromQuery(location.search);

function questionOf({ kind }: KindRow): Question {
  const errorRate = rateFor(view.answers);
  return { kind, given: ['capacity', 'errorRate'], values: { capacity: view.keys, errorRate } };
}

/** Where the calculator has its size: sets stand below all kinds of filters. */
function calculatorOf(row: KindRow | ExactSet): string {
  const isFilter = 'kind' in row;
  const question = questionOf(isFilter ? row : rowNamed('classic'));
  const open = isFilter ? [] : ['kinds'];
  return `calculator.html?${toCalculator({ ...firstView, question, open })}${isFilter ? '' : '#kinds-title'}`;
}

/** Its size in words, and its code, which is empty if there is no such filter. */
function answerTo(row: KindRow | ExactSet): { words: string; code: string } {
  if (!('kind' in row)) return { words: exactWords(row, view.keys), code: row.code };
  const question = questionOf(row);
  const answer = answerOf(question, row);
  if (answer instanceof Refusal) return { words: answer.message, code: '' };
  return { words: wordsOf(answer), code: typeScript(question, answer) };
}

function show(): void {
  const { errs, complete } = view.answers;
  for (const each of document.querySelectorAll<HTMLFieldSetElement>('#questions fieldset:not(#errs)')) {
    each.disabled = !errs || (complete && each.id === 'known');
  }
  const { row, because, others } = errs ? choose(view.answers) : chooseSet(view.keys);
  const { words, code } = answerTo(row);
  write('kind', `Take a ${row.className}`);
  write('because', because);
  write('words', words);
  write('formula', row.formula);
  write('typescript', code);
  element('code', HTMLElement).hidden = code === '';
  element('calculate', HTMLAnchorElement).href = calculatorOf(row);
  element('more', HTMLAnchorElement).href = `docs/kinds.html#${row.anchor}`;
  const items = others.map((other) =>
    make('li', {}, make('a', { href: calculatorOf(other.row) }, other.row.className), `, ${other.instead}.`),
  );
  element('others', HTMLElement).replaceChildren(...items);
}

function look(next: View): void {
  view = next;
  show();
  // Last, because browsers refuse to write the address as often as a key that is held down repeats.
  history.replaceState(null, '', `?${toQuery(view)}`);
}

for (const question of questions) {
  for (const radio of document.querySelectorAll<HTMLInputElement>(`input[name=${question}]`)) {
    radio.checked = (radio.value === 'yes') === view.answers[question];
    radio.addEventListener('change', () =>
      look({ ...view, answers: { ...view.answers, [question]: radio.value === 'yes' } }),
    );
  }
}

const keys = element('keys', HTMLInputElement);
keys.value = integer(view.keys);
keys.addEventListener('input', () => {
  const count = readCount(keys.value);
  const why = whyNoCount(keys.value) ?? 'A whole number, such as 1,000,000 or 1M.';
  showNote('keys', count === undefined ? why : '', count === undefined);
  if (count !== undefined) look({ ...view, keys: count });
});
element('questions', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());

makeCopyButtons();
copyOnClick(element('copy-link', HTMLButtonElement), () => new URL(`?${toQuery(view)}`, location.href).href);
show();
element('choose', HTMLElement).classList.remove('waiting');
