// The page that shows how a filter works.

import './page.css';
import { integer, percent } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import type { PictureKind } from './kind.ts';
import { pictureKinds } from './kinds.ts';
import { Model } from './model.ts';
import { Picture } from './picture.ts';
import {
  afterAdd,
  afterLookUp,
  afterNames,
  afterRefusal,
  afterRemove,
  describe,
  examplesText,
  expectedText,
  measuredName,
} from './wording.ts';

const NAMES_AT_ONCE = 10;

const form = element('form', HTMLFormElement);
const input = element('key', HTMLInputElement);
const labelField = element('label-field', HTMLElement);
const labelSelect = element('label', HTMLSelectElement);
const removeButton = element('remove', HTMLButtonElement);
const picture = new Picture();

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

/** Shows where the key of the field goes. */
function showKey(model: Model): void {
  const { words } = model.kind;
  const place = model.placeOf(input.value);
  write('hash', model.hashOf(input.value));
  write('cells-name', words.itsName);
  write('cells', words.its(place));
  picture.mark(place.cells);
  picture.describe(describe(model, input.value));
}

function showFilter(model: Model): void {
  const { count, cells, kind } = model;
  const measured = model.measure();
  picture.show(cells, kind.show);
  write('count', integer(count));
  write('fill-name', `${kind.cellName}s ${kind.words.used}`);
  write('fill', percent(cells.filter((value) => value > 0).length / cells.length));
  write('missed', integer(model.missed().length));
  write('wrong-name', measuredName(measured));
  write('wrong', integer(measured.wrong));
  write('formula-name', kind.words.formula);
  write('formula', expectedText(model.expectedErrorRate() * measured.asked));
  write('examples', examplesText(measured));
  showKey(model);
}

/** Shows what does not depend on the contents of a filter. */
function showKind({ steps, removes, labels }: PictureKind): void {
  const items = steps.map(({ title, sentences }) =>
    make('li', { class: 'panel' }, make('h3', {}, title), make('p', {}, sentences.join(' '))),
  );
  element('steps', HTMLElement).replaceChildren(...items);
  removeButton.hidden = !removes;
  labelField.hidden = labels === undefined;
  const options = Array.from({ length: labels ?? 1 }, (_, i) => make('option', {}, String(i + 1)));
  labelSelect.replaceChildren(...options);
}

/** The action of each button on the filter. It returns the message to show. */
const actions: Readonly<Record<string, (model: Model, key: string, label: number) => string>> = {
  add(model, key, label) {
    const change = model.add(key, label);
    return change ? afterAdd(model, key, change) : afterRefusal(key);
  },
  'look-up': (model, key) => afterLookUp(model, key),
  remove(model, key) {
    const wasAdded = model.wasAdded(key);
    return afterRemove(model, key, wasAdded, model.remove(key));
  },
  'add-ten'(model, _key, label) {
    const added = model.addNames(NAMES_AT_ONCE, label);
    return afterNames(model, added, model.measure());
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
  write('said', actions[name]?.(model, input.value, Number(labelSelect.value)) ?? '');
  showFilter(model);
}

async function choose(kind: PictureKind): Promise<void> {
  showKind(kind);
  chosen = kind;
  const made = await Model.create(kind);
  // The user may have chosen another kind in the meantime.
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

/** The radio button of the kind in the URL, or else the one that is checked: browsers keep it through a reload. */
function radioInUse(): HTMLInputElement {
  const linked = pictureKinds.find(({ name }) => `#${name}` === location.hash);
  const selector = linked ? `#kinds [value=${linked.name}]` : '#kinds :checked';
  return document.querySelector(selector) as HTMLInputElement;
}

function chooseInUse(): void {
  const radio = radioInUse();
  radio.checked = true;
  choose(pictureKinds.find(({ name }) => name === radio.value) as PictureKind);
}

element('kinds', HTMLElement).addEventListener('change', ({ target }) => {
  history.replaceState(null, '', `#${(target as HTMLInputElement).value}`);
  chooseInUse();
});
addEventListener('hashchange', chooseInUse);
chooseInUse();
