// The page that shows how a filter works.

import './page.css';
import { integer, percent } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { type PictureKind, pictureKinds } from './kinds.ts';
import { Model } from './model.ts';
import { Picture } from './picture.ts';
import {
  afterAdd,
  afterLookUp,
  afterNames,
  afterRemove,
  describe,
  examplesText,
  expectedText,
  measuredName,
} from './wording.ts';

const NAMES_AT_ONCE = 10;

const form = element('form', HTMLFormElement);
const input = element('key', HTMLInputElement);
const removeButton = element('remove', HTMLButtonElement);
const picture = new Picture();

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

/** Shows where the key of the field goes. */
function showKey(model: Model): void {
  const cells = model.cellsOfKey(input.value);
  write('hash', model.hashOf(input.value));
  write('cells-name', `its ${model.kind.cellName}s`);
  write('cells', cells.join(', '));
  picture.mark(cells);
  picture.describe(describe(model, input.value));
}

function showFilter(model: Model): void {
  const { count, cells, kind } = model;
  const measured = model.measure();
  picture.show(cells, kind.countsUp);
  write('count', integer(count));
  write('fill-name', kind.countsUp ? 'counters above 0' : 'bits set');
  write('fill', percent(cells.filter((value) => value > 0).length / cells.length));
  write('wrong-name', measuredName(measured));
  write('wrong', integer(measured.wrong));
  write('formula', expectedText(model.expectedErrorRate() * measured.asked));
  write('examples', examplesText(measured));
  showKey(model);
}

function showSteps({ steps }: PictureKind): void {
  const items = steps.map(({ title, sentences }) =>
    make('li', { class: 'panel' }, make('h3', {}, title), make('p', {}, sentences.join(' '))),
  );
  element('steps', HTMLElement).replaceChildren(...items);
}

/** What each button does to the filter. It returns what is to be said about it. */
const actions: Readonly<Record<string, (model: Model, key: string) => string>> = {
  add(model, key) {
    const before = model.cells;
    return afterAdd(model, key, before, model.add(key));
  },
  'look-up': (model, key) => afterLookUp(model, key),
  remove(model, key) {
    const wasAdded = model.wasAdded(key);
    return afterRemove(model, key, wasAdded, model.remove(key));
  },
  'add-ten'(model) {
    const names = model.addNames(NAMES_AT_ONCE);
    return afterNames(model, names, model.measure());
  },
  clear(model) {
    model.clear();
    return 'The filter is empty.';
  },
};

let model: Model | undefined;
let chosen: PictureKind | undefined;

function act(name: string): void {
  if (model === undefined) return;
  write('said', actions[name]?.(model, input.value) ?? '');
  showFilter(model);
}

async function choose(kind: PictureKind): Promise<void> {
  showSteps(kind);
  removeButton.hidden = !kind.countsUp;
  chosen = kind;
  const made = await Model.create(kind);
  // Meanwhile, another kind may have been chosen.
  if (chosen !== kind) return;
  model = made;
  picture.lay(kind, model.cells.length);
  showFilter(model);
  write('said', '\u00a0');
  for (const id of Object.keys(actions)) element(id, HTMLButtonElement).disabled = false;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  act('add');
});
for (const id of Object.keys(actions)) {
  if (id !== 'add') element(id, HTMLButtonElement).addEventListener('click', () => act(id));
}
input.addEventListener('input', () => model && showKey(model));

/** A browser that reloads a page keeps what was chosen. */
function chooseChecked(): void {
  const { value } = document.querySelector('#kinds :checked') as HTMLInputElement;
  choose(pictureKinds.find(({ name }) => name === value) as PictureKind);
}
element('kinds', HTMLElement).addEventListener('change', chooseChecked);
chooseChecked();
