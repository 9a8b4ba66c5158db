// The page that leads to a kind of filter by four questions.

import '../calculator/answer.css';
import './page.css';
import { typeScript } from '../calculator/code.ts';
import type { KindRow } from '../calculator/kind-row.ts';
import { Refusal } from '../calculator/limits.ts';
import { readCount, whyNoCount } from '../calculator/numbers.ts';
import { answerOf, type Question } from '../calculator/solve.ts';
import { firstView, toQuery as toCalculator } from '../calculator/url.ts';
import { wordsOf } from '../calculator/words.ts';
import { integer } from '../format.ts';
import { copyOnClick, makeCopyButtons } from '../shell/copy.ts';
import { element, make, write } from '../shell/dom.ts';
import { choose, fromQuery, questions, rateFor, toQuery, type View } from './choices.ts';

let view: View = fromQuery(location.search);

function questionOf({ kind }: KindRow): Question {
  const errorRate = rateFor(view.answers);
  return { kind, given: ['capacity', 'errorRate'], values: { capacity: view.keys, errorRate } };
}

function calculatorOf(row: KindRow): string {
  return `calculator.html?${toCalculator({ ...firstView, question: questionOf(row) })}`;
}

function show(): void {
  const { row, because, others } = choose(view.answers);
  const question = questionOf(row);
  const answer = answerOf(question, row);
  element('known', HTMLFieldSetElement).disabled = view.answers.complete;
  write('kind', `Take a ${row.className}`);
  write('because', because);
  write('words', answer instanceof Refusal ? answer.message : wordsOf(answer));
  write('formula', row.formula);
  write('typescript', answer instanceof Refusal ? '' : typeScript(question, answer));
  element('code', HTMLElement).hidden = answer instanceof Refusal;
  element('calculate', HTMLAnchorElement).href = calculatorOf(row);
  element('more', HTMLAnchorElement).href = `docs/kinds.html#${row.anchor}`;
  const items = others.map((other) =>
    make('li', {}, make('a', { href: calculatorOf(other.row) }, other.row.className), `, ${other.instead}.`),
  );
  element('others', HTMLElement).replaceChildren(...items);
}

function look(next: View): void {
  view = next;
  history.replaceState(null, '', `?${toQuery(view)}`);
  show();
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
  const note = element('keys-note', HTMLElement);
  note.textContent = count === undefined ? (whyNoCount(keys.value) ?? 'A whole number, such as 1,000,000 or 1M.') : '';
  note.classList.toggle('error', count === undefined);
  keys.setAttribute('aria-invalid', String(count === undefined));
  if (count !== undefined) look({ ...view, keys: count });
});
element('questions', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());

makeCopyButtons();
copyOnClick(element('copy-link', HTMLButtonElement), () => {
  history.replaceState(null, '', `?${toQuery(view)}`);
  return location.href;
});
show();
element('choose', HTMLElement).classList.remove('waiting');
